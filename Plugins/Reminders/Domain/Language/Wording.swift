/// What the words of a reminder say besides a time.
public enum Wording {
  /// Words that name a medicine, in lower case. A reminder that has one is sent in quiet hours too.
  private static let medicines: Set<String> = [
    "pill", "pills", "tablet", "tablets", "capsule", "capsules", "medicine", "medicines",
    "medication", "medications", "meds", "insulin", "inhaler", "dose", "doses", "antibiotic",
    "antibiotics", "injection", "eyedrops", "prescription", "aspirin", "ibuprofen", "metformin",
    "warfarin", "statin", "statins", "drops", "vitamin", "vitamins",
  ]
  /// How the international names of medicines end (WHO, "The use of stems in the selection of
  /// INN").
  private static let stems = [
    "pril", "sartan", "statin", "olol", "cillin", "mycin", "dipine", "formin", "gliptin", "prazole",
    "oxacin", "parin", "zepam", "triptan",
  ]
  private static let openings = [
    "please ", "can you ", "remind me to ", "remind me that ", "remind me about ", "remind me of ",
    "remind me ", "reminder to ", "don't let me forget to ", "don't forget to ",
  ]

  /// Whether the words name a medicine: "Pills", "take the blue pill".
  public static func namesMedicine(_ text: String) -> Bool {
    text.lowercased().split { !$0.isLetter && $0 != "'" }
      .contains { word in
        medicines.contains(String(word))
          || word.count >= 8 && stems.contains { word.hasSuffix($0) }
      }
  }

  /// What is to be done, without the words that only ask for a reminder: "remind me to call Ann" is
  /// "call Ann".
  public static func task(_ text: String) -> String {
    var task = text[...]
    var isShorter = true
    while isShorter {
      isShorter = false
      for opening in openings
      where task.count >= opening.count
        && task.prefix(opening.count).lowercased() == opening
      {
        task = task.dropFirst(opening.count)
        isShorter = true
      }
    }
    let bare = String(task)
    return bare.lowercased() == "remind me" ? "" : bare
  }
}
