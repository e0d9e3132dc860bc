// SPDX-License-Identifier: Apache-2.0

/// Where a manual without fences has a code block: line numbers only.
struct IndexEntry: Sendable {
    let heading: Int
    let lines: ClosedRange<Int>
    let language: String

    init(_ heading: Int, _ lines: ClosedRange<Int>, _ language: String = "swift") {
        self.heading = heading
        self.lines = lines
        self.language = language
    }

    /// Takes the block out of the manual.
    ///
    /// - Throws: ``ManualError/indexDoesNotFit(line:)`` when the manual ends before it.
    func block(number: Int, of manual: [String]) throws -> Block {
        guard lines.upperBound <= manual.count else { throw ManualError.indexDoesNotFit(line: lines.upperBound) }
        return Block(
            number: number, heading: manual[heading - 1], language: language, firstLine: lines.lowerBound,
            lines: Array(manual[(lines.lowerBound - 1)..<lines.upperBound]))
    }

    /// The manual of the iOS SDK 1.9.
    static let ios19 = [
        IndexEntry(38, 42...42, "sh"), IndexEntry(38, 46...49, "ruby"), IndexEntry(38, 53...53, "sh"),
        IndexEntry(70, 74...75), IndexEntry(70, 76...77, "objc"), IndexEntry(70, 89...104),
        IndexEntry(146, 152...168), IndexEntry(172, 176...185), IndexEntry(189, 193...205), IndexEntry(209, 215...235),
        IndexEntry(241, 245...268), IndexEntry(270, 274...278), IndexEntry(270, 282...288), IndexEntry(298, 302...310),
        IndexEntry(298, 314...319), IndexEntry(321, 325...326), IndexEntry(330, 336...349), IndexEntry(351, 355...402),
        IndexEntry(451, 455...465), IndexEntry(451, 469...479), IndexEntry(451, 483...498), IndexEntry(500, 506...509),
        IndexEntry(500, 513...523), IndexEntry(525, 531...541), IndexEntry(543, 547...564), IndexEntry(566, 570...578),
        IndexEntry(584, 588...595), IndexEntry(597, 603...610), IndexEntry(597, 623...641), IndexEntry(667, 671...682),
        IndexEntry(684, 696...739), IndexEntry(741, 745...746), IndexEntry(748, 752...753), IndexEntry(755, 759...767),
        IndexEntry(769, 773...802), IndexEntry(810, 824...848), IndexEntry(810, 852...853), IndexEntry(857, 863...870),
        IndexEntry(872, 876...877), IndexEntry(879, 887...901), IndexEntry(903, 907...917), IndexEntry(921, 925...935),
        IndexEntry(941, 945...961), IndexEntry(984, 988...990), IndexEntry(1000, 1004...1012),
        IndexEntry(1000, 1016...1037), IndexEntry(1043, 1049...1049), IndexEntry(1051, 1057...1066),
        IndexEntry(1068, 1074...1084), IndexEntry(1086, 1099...1117), IndexEntry(1086, 1122...1122),
        IndexEntry(1086, 1125...1125), IndexEntry(1086, 1129...1136, "json"), IndexEntry(1086, 1139...1142),
        IndexEntry(1086, 1151...1156, "json"), IndexEntry(1086, 1160...1162), IndexEntry(1175, 1179...1192),
        IndexEntry(1209, 1213...1224), IndexEntry(1228, 1232...1240), IndexEntry(1228, 1244...1249),
        IndexEntry(1253, 1257...1264), IndexEntry(1266, 1270...1274), IndexEntry(1282, 1288...1348),
        IndexEntry(1375, 1381...1385), IndexEntry(1375, 1389...1393), IndexEntry(1397, 1401...1407),
        IndexEntry(1397, 1411...1417), IndexEntry(1419, 1423...1429), IndexEntry(1419, 1433...1439),
        IndexEntry(1509, 1513...1528), IndexEntry(1538, 1542...1544), IndexEntry(1538, 1548...1554),
        IndexEntry(1556, 1562...1562), IndexEntry(1574, 1578...1584), IndexEntry(1586, 1590...1599),
        IndexEntry(1586, 1603...1606), IndexEntry(1612, 1618...1620), IndexEntry(1612, 1624...1628),
        IndexEntry(1612, 1634...1710), IndexEntry(1722, 1726...1737), IndexEntry(1739, 1743...1743),
        IndexEntry(1739, 1747...1747), IndexEntry(1739, 1753...1774), IndexEntry(1780, 1786...1796),
        IndexEntry(1780, 1800...1810), IndexEntry(1860, 1869...1874), IndexEntry(1876, 1885...1888),
        IndexEntry(1892, 1896...1897), IndexEntry(1905, 1909...1909, "sh"), IndexEntry(1921, 1925...1939),
    ]
}
