// SPDX-License-Identifier: Apache-2.0

// An app of the lab in C, without anything of the lab inside. It does what docs/own-app.md says under "The protocol":
// prints its vocabulary, attaches to its device, and answers commands at its control socket.
//
//     cc greeter.c -lzmq -o greeter

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include <zmq.h>

static const char *const vocabulary =
    "{ \"version\": 1, \"kind\": \"app\", \"sdk\": \"full\", \"commands\": [ {\n"
    "    \"name\": \"greet\", \"summary\": \"Greets a person.\",\n"
    "    \"parameters\": [ { \"name\": \"name\", \"type\": \"text\", \"meaning\": \"Whom.\" } ],\n"
    "    \"result\": { \"type\": \"object\", \"members\": [\n"
    "      { \"name\": \"text\", \"type\": \"text\", \"meaning\": \"The greeting.\" } ] }\n"
    "  } ], \"errors\": [\"namelessGuest\"] }\n";

static void fail(const char *what) {
    perror(what);
    exit(3);
}

// MARK: The link to the agent of the device

static uint64_t fnv1a(uint64_t hash, const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
    return hash;
}

static void put(unsigned char *place, uint64_t value, int size) {
    for (int i = 0; i < size; i++) place[i] = (unsigned char)(value >> (8 * (size - 1 - i)));
}

enum { attach = 0x40, appState = 0x42 };

// A header of 72 bytes, all numbers big-endian, and a body of JSON.
static void tellAgent(void *agent, int type, const char *body) {
    unsigned char header[72] = {'W', 'C', 'L', '1', 1};
    size_t length = strlen(body);
    header[6] = (unsigned char)type;
    put(header + 60, length, 4);
    put(header + 64, fnv1a(fnv1a(0xcbf29ce484222325, header, 64), body, length), 8);
    if (zmq_send(agent, header, sizeof header, ZMQ_SNDMORE) < 0 || zmq_send(agent, body, length, 0) < 0) fail("agent");
}

// MARK: Commands

// The text behind `"key":`, up to its closing quotation mark or the next comma. A real app takes a JSON library.
static void member(const char *json, const char *key, char *text, size_t size) {
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *start = strstr(json, quoted);
    size_t length = 0;
    if (start) {
        start += strlen(quoted);
        int isText = *start == '"';
        start += isText;
        length = strcspn(start, isText ? "\"" : ",}");
    }
    if (length >= size) length = size - 1;
    if (length) memcpy(text, start, length);
    text[length] = 0;
}

static void answer(const char *request, char *reply, size_t size) {
    char id[32], command[64], name[128];
    if (strcmp(request, "{\"hello\":true}") == 0) {
        snprintf(reply, size, "{\"welcome\": %d}", getpid());
        return;
    }
    member(request, "id", id, sizeof id);
    member(request, "command", command, sizeof command);
    member(request, "name", name, sizeof name);
    if (strcmp(command, "ping") == 0) {
        snprintf(reply, size, "{\"id\": %s, \"result\": null}", id);
    } else if (strcmp(command, "greet") == 0 && name[0]) {
        snprintf(reply, size, "{\"id\": %s, \"result\": {\"text\": \"Hello, %s\"}}", id, name);
    } else {
        const char *error = strcmp(command, "greet") == 0 ? "namelessGuest" : "unknownCommand";
        snprintf(reply, size,
            "{\"id\": %s, \"error\": {\"domain\": \"GreeterError\", \"name\": \"%s\", \"message\": \"Cannot %s.\"}}", id,
            error, command);
    }
}

// Takes what has come to the control socket: a routing id, which the answer begins with, and a message.
static void serve(void *control) {
    char client[256], request[65536], reply[1024];
    int idLength = zmq_recv(control, client, sizeof client, 0);
    int length = zmq_recv(control, request, sizeof request - 1, 0);
    if (idLength < 0 || length < 0) fail("control socket");
    if ((size_t)length >= sizeof request) length = sizeof request - 1;
    request[length] = 0;
    if (strcmp(request, "{\"bye\":true}") == 0) return;
    answer(request, reply, sizeof reply);
    zmq_send(control, client, (size_t)idLength, ZMQ_SNDMORE);
    zmq_send(control, reply, strlen(reply), 0);
}

// MARK: The program

// The process that holds this lock is the app; its identifier is in the file.
static void takePlace(const char *directory, const char *name) {
    char path[256], text[32];
    snprintf(path, sizeof path, "%s/s/p.%s.lock", directory, name);
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || flock(file, LOCK_EX | LOCK_NB) < 0) fail(path);
    int length = snprintf(text, sizeof text, "%d\n", getpid());
    if (ftruncate(file, 0) < 0 || write(file, text, (size_t)length) != length) fail(path);
}

int main(int count, char **arguments) {
    if (count == 2 && strcmp(arguments[1], "--vocabulary") == 0) return fputs(vocabulary, stdout) < 0;
    // The device's name in the lab file; an app with a JSON library finds it in instance.json.
    const char *device = "phone";
    const char *directory = "", *name = "", *incarnation = "1";
    for (int i = 1; i + 1 < count; i += 2) {
        if (strcmp(arguments[i], "--instance") == 0) directory = arguments[i + 1];
        if (strcmp(arguments[i], "--as") == 0) name = arguments[i + 1];
        if (strcmp(arguments[i], "--incarnation") == 0) incarnation = arguments[i + 1];
    }
    takePlace(directory, name);

    char text[256];
    void *context = zmq_ctx_new();
    void *control = zmq_socket(context, ZMQ_ROUTER);
    snprintf(text, sizeof text, "ipc://%s/s/p.%s", directory, name);
    if (zmq_bind(control, text) < 0) fail(text);

    void *agent = zmq_socket(context, ZMQ_DEALER);
    snprintf(text, sizeof text, "%s-%d-%s", name, getpid(), incarnation);
    zmq_setsockopt(agent, ZMQ_ROUTING_ID, text, strlen(text));
    snprintf(text, sizeof text, "ipc://%s/s/w.%s", directory, device);
    if (zmq_connect(agent, text) < 0) fail(text);
    snprintf(text, sizeof text, "{\"name\": \"%s\", \"pid\": %d, \"incarnation\": %s}", name, getpid(), incarnation);
    tellAgent(agent, attach, text);
    tellAgent(agent, appState, "{\"isForeground\": true}");

    // It ends with its agent, which has asked the kernel for that.
    for (;;) {
        zmq_pollitem_t items[] = {{control, 0, ZMQ_POLLIN, 0}, {agent, 0, ZMQ_POLLIN, 0}};
        if (zmq_poll(items, 2, -1) < 0) fail("poll");
        if (items[0].revents) serve(control);
        // News about the app's life, which this one takes no notice of.
        if (items[1].revents) zmq_recv(agent, text, sizeof text, 0);
    }
}
