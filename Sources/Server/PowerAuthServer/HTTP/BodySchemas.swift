// SPDX-License-Identifier: Apache-2.0

import LabCore

// The schemas of the types with a form of their own in bodies. Request types have optional fields only, because missing
// ones have their own error codes: the endpoint's contract declares the required fields.

extension ExplicitNull: DescribedJSON where Value: Decodable {
    static var schema: JSONValue { JSONSchema.nullable(JSONSchema.of(Value.self)) }
}

extension LenientInteger: DescribedJSON {
    static var schema: JSONValue {
        [
            "type": ["integer", "string"], "minimum": .integer(.min), "maximum": .integer(.max),
            "pattern": "^[+-]?[0-9]{1,18}$",
        ]
    }
}

extension EnumName: DescribedJSON {
    static var schema: JSONValue { ["type": "string", "enum": .array(Value.names.map(JSONValue.string))] }
}

extension BackOfficeDate: DescribedJSON { static var schema: JSONValue { ["type": "string", "format": "date-time"] } }

extension RequestedDate: DescribedJSON {
    static var schema: JSONValue {
        [
            "description": "A text of RFC 3339, or milliseconds of Unix time as a number or as text.",
            "anyOf": [
                BackOfficeDate.schema, ["type": "string", "pattern": "^-?[0-9]{1,18}$"],
                ["type": "integer", "minimum": .integer(.min), "maximum": .integer(.max)],
            ],
        ]
    }
}

extension Base64Field: DescribedJSON {
    static var schema: JSONValue {
        [
            "type": "string", "contentEncoding": "base64",
            // The bits beyond the last byte are zero.
            "pattern": "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$",
        ]
    }
}

extension ISODuration: DescribedJSON {
    static var example: ISODuration? { ISODuration(milliseconds: 0) }

    static var schema: JSONValue {
        let (days, hours, minutes) = ("[0-9]{1,5}D", "[0-9]{1,6}H", "[0-9]{1,8}M")
        let seconds = #"[0-9]{1,9}(\.[0-9]{1,3})?S"#
        let time = "T(\(hours)(\(minutes))?(\(seconds))?|\(minutes)(\(seconds))?|\(seconds))"
        return [
            "type": "string", "description": "Of ISO 8601, without months and years.",
            "pattern": .string("^P(\(days)|(\(days))?\(time))$"),
        ]
    }
}
