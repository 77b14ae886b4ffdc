public import Foundation

/// Texts of our own that are written out, each another: of the kinds and channels that public
/// collections lack.
public enum WrittenTexts {
  /// Reads all `.jsonl` files of a folder, in the order of their names; their source is `written`.
  ///
  /// - Parameter part: one text in five, by the hash of its words, is kept apart; the others train.
  /// - Throws: `ToolError` naming file and line.
  public static func read(_ folder: URL, _ part: TemplateFile.Part) throws -> [LabelledText] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    var texts: [LabelledText] = []
    for name in names.sorted() where name.hasSuffix(".jsonl") {
      texts += try LabelledText.read(folder.appending(path: name))
    }
    guard !texts.isEmpty else { throw ToolError("\(folder.path): no texts") }
    return texts.filter { text in
      var random = SplitMix(seed: TemplateFile.hash(text.text))
      return part.includes(isHeld: random.below(5) == 0)
    }
  }
}
