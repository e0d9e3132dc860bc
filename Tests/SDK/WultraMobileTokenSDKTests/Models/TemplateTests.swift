// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import TestSupport
import Testing

@testable import WultraMobileTokenSDK

@Suite("Templates (mobile-token.md, section 7.8)", .endsInTime)
struct TemplateTests {
    private func operation(_ templates: JSONValue?) throws -> WMTUserOperation {
        try JSON.read(WMTUserOperation.self, Example.operation.with("ui.templates", templates))
    }

    @Test(.verifies("mobile-token.md", "B-20"))
    func
        `Members that are null or missing are nil, a cell without a name is dropped, and cells that are an object are nil`()
        throws
    {
        let templates = try JSON.read(
            WMTTemplates.self,
            [
                "list": ["style": .null, "title": "T"],
                "detail": [
                    "showTitleAndMessage": false,
                    "sections": [
                        [
                            "title": "x",
                            "cells": [["name": "a", "visibleTitle": true, "collapsable": "YES"], ["style": "s"]],
                        ],
                        ["cells": ["name": "a"]], ["style": .integer(1)],
                    ],
                ],
            ])
        let list = try #require(templates.list)
        #expect(list.style == nil && list.title == "T" && list.header == nil && list.image == nil)
        let detail = try #require(templates.detail)
        #expect(detail.style == nil && detail.showTitleAndMessage == false)
        let sections = try #require(detail.sections)
        #expect(sections.map { $0.cells?.map(\.name) } == [["a"], nil, nil])
        let cell = try #require(sections[0].cells?.first)
        #expect(cell.visibleTitle == true && cell.canCopy == nil && cell.collapsable == .yes && cell.centered == nil)
        #expect(sections[2].style == nil)
        #expect(try JSON.read(WMTTemplates.self, ["list": "x", "detail": .null]) == JSON.read(WMTTemplates.self, [:]))
    }

    @Test func `Placeholders of a list are filled by kind; one that cannot be filled makes its text nil`() throws {
        let template: JSONValue = [
            "list": [
                "header": "${operation.amount} to ${operation.account}", "title": "${operation.fx}: ${operation.note}",
                "message": "${operation.party}", "image": "operation.img", "style": "big",
            ]
        ]
        let visual = WMTTemplateVisualParser.prepareForList(operation: try operation(template))
        #expect(visual.header == "€250.50 to CZ6508000000192000145399" && visual.style == "big")
        #expect(visual.title == "1.26 ETH → $1,710.98: Rent * December")
        #expect(visual.message == "Please check the payment")
        #expect(visual.thumbnailImageURL == URL(string: "https://shop.test/t.png"))
        let heading = try operation(["list": ["header": "${operation.party.h}", "title": "${none}", "image": "x"]])
        let other = WMTTemplateVisualParser.prepareForList(operation: heading)
        #expect(other.header == "Shop" && other.title == "Payment approval" && other.thumbnailImageURL == nil)
    }

    @Test func `Values without a text of their own are composed, on both sides of a conversion alike`() throws {
        var json = try Example.operation.with(
            "ui.templates", ["list": ["header": "${operation.amount}", "title": "${operation.fx}"]])
        json = json.with("formData.attributes.0.valueFormatted", nil)
        json = json.with("formData.attributes.6.sourceValueFormatted", nil)
        let visual = WMTTemplateVisualParser.prepareForList(operation: try JSON.read(WMTUserOperation.self, json))
        #expect(visual.header == "250.50 €" && visual.title == "1.26 ETH → 1,710.98 $")
    }

    @Test func `Without a template title and message stand for themselves, unless there is no message`() throws {
        let visual = WMTTemplateVisualParser.prepareForList(operation: try operation(nil))
        #expect(visual.title == "Payment approval" && visual.message == "Please check the payment")
        #expect(visual.header == nil && visual.template == nil)
        let silent = try JSON.read(WMTUserOperation.self, Example.operation.with("formData.message", ""))
        let other = WMTTemplateVisualParser.prepareForList(operation: silent)
        #expect(other.title == nil && other.message == nil)
    }

    @Test func `A screen without a template has a section for the texts and one for all attributes`() throws {
        let visual = WMTTemplateVisualParser.prepareForDetail(operation: try operation(nil))
        #expect(visual.sections.map(\.cells.count) == [2, 7])
        #expect((visual.sections[0].cells[0] as? WMTUserOperationHeaderVisualCell)?.value == "Payment approval")
        #expect(
            (visual.sections[0].cells[1] as? WMTUserOperationMessageVisualCell)?.value == "Please check the payment")
        let party = try #require(visual.sections[1].cells[4] as? WMTUserOperationValueAttributeVisualCell)
        #expect(party.header == "Shop" && party.defaultFormattedStringValue.isEmpty)
        #expect(visual.sections[1].cells[3] is WMTUserOperationHeadingVisualCell)
        let image = try #require(visual.sections[1].cells[5] as? WMTUserOperationImageVisualCell)
        #expect(image.urlThumbnail == URL(string: "https://shop.test/t.png"))
        #expect(image.urlFull == URL(string: "https://shop.test/o.png"))
        let bare = try JSON.read(WMTUserOperation.self, Example.operation.with("formData.attributes", []))
        #expect(WMTTemplateVisualParser.prepareForDetail(operation: bare).sections.count == 1)
    }

    @Test func `Templated sections come in their order, use each attribute once, and the rest follows`() throws {
        let template: JSONValue = [
            "detail": [
                "showTitleAndMessage": false,
                "sections": [
                    [
                        "title": "operation.party.h", "style": "money",
                        "cells": [["name": "operation.fx"], ["name": "operation.amount", "canCopy": true]],
                    ],
                    ["cells": [["name": "operation.amount"], ["name": "none"], ["name": "operation.note"]]],
                ],
            ]
        ]
        let sections = WMTTemplateVisualParser.prepareForDetail(operation: try operation(template)).sections
        #expect(sections.map(\.title) == ["Shop", nil, nil] && sections[0].style == "money")
        #expect(sections.map(\.cells.count) == [2, 1, 3])
        let amount = try #require(sections[0].cells[1] as? WMTUserOperationValueAttributeVisualCell)
        #expect(amount.defaultFormattedStringValue == "€250.50" && amount.cellTemplate?.canCopy == true)
    }
}
