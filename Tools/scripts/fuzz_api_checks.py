"""The checks of `make fuzz-api` in addition to those of Schemathesis."""
import os

import schemathesis
from schemathesis import GenerationMode

# The resources of /lab require one header, from a file that only its owner can read.
with open(os.environ["SCHEMATHESIS_LAB_TOKEN"]) as file:
    LAB_HEADER, LAB_TOKEN = file.read().strip().split(": ")


@schemathesis.hook
def before_call(ctx, case, kwargs):
    """Sends the token, like every client that may use /lab."""
    if case.path.startswith("/lab/"):
        case.headers = {**(case.headers or {}), LAB_HEADER: LAB_TOKEN}


# The object of a request does not exist, is in another state, or was not made with the right keys: a description of a
# request cannot express that.
DATA = {
    "ERR0003", "ERR0007", "ERR0008", "ERR0009", "ERR0012", "ERR0013", "ERR0014", "ERR0015", "ERR0018", "ERR0019",
    "ERR0022", "ERR0027", "ERR0028", "ERR0029", "ERR0030", "ERR0031", "ERR0032", "ERR0033", "ERR0034", "ERR0036",
    "ERR0037", "ERR0038", "ERR0039", "ERR0043", "ERR0044", "ERR0045", "ERR0046", "ERR0047", "ERR_RECOVERY",
    "ERROR_TELEMETRY",
    # The mobile API hides every cause behind one code for each resource.
    "ERR_ACTIVATION", "ERR_ENCRYPTION", "ERR_SECURE_VAULT", "ERR_TEMPORARY_KEY", "ERR_UPGRADE", "ERR_USER_INFO",
}

# Resources that also report "invalid request" for data.
DATA_AS_INVALID = (
    # Of a code, a recovery configuration, a key or a message that does not exist or does not fit.
    "/rest/v3/recovery/", "/rest/v3/activation/recovery/create", "/rest/v3/activation/prepare",
    "/rest/v3/activation/create", "/rest/v3/keystore/create", "/rest/v3/ecies/decryptor", "/rest/v3/token/",
    "/rest/v3/vault/unlock", "/rest/v3/upgrade/start", "/rest/v3/application/callback/update",
    # For expired times, and for activations of another user.
    "/rest/v3/operation/create",
    # Of fields that exclude each other, or that fit one value of another field.
    "/rest/v3/activation/init", "/rest/v3/application/config/create", "/rest/v3/signature/offline/",
    # For missing objects: these have one code for everything.
    "/lab/", "/v2/",
)


def former(path):
    """The path below /rest/v3 of a resource that has another one below /rest/v4."""
    return path.replace("/rest/v4/auth/offline/", "/rest/v3/signature/offline/").replace("/rest/v4/", "/rest/v3/")


def names_a_nul(value):
    """Whether a member's name holds a NUL, which no text may: a description does not reach the names of unknown members."""
    if isinstance(value, dict):
        return any("\0" in name or names_a_nul(member) for name, member in value.items())
    return isinstance(value, list) and any(names_a_nul(element) for element in value)


@schemathesis.check
def valid_requests_are_understood(ctx, response, case):
    """A request that the description calls valid is refused for its data only."""
    if response.status_code != 400 or case.meta is None or case.meta.generation.mode != GenerationMode.POSITIVE:
        return
    answer = response.json()["responseObject"]
    if answer["code"] in DATA or former(case.path).startswith(DATA_AS_INVALID) or names_a_nul(case.body):
        return
    raise AssertionError(f"called valid, refused with {answer['code']}: {answer['message']}")
