import Foundation
public import RiskEngineDomain

/// What is to be known of a model, beside its weights: `MODEL.md`.
public struct ModelCard {
  /// Figures on one set.
  public struct Row {
    /// The set and its channel.
    public var name: String
    /// How it was kept from training.
    public var held: String
    /// The figures at the band of medium.
    public var figures: Figures

    /// A row.
    public init(name: String, held: String, figures: Figures) {
      self.name = name
      self.held = held
      self.figures = figures
    }
  }

  /// Version of model and rules, and the checksum of the weights.
  public var version: String
  /// Version of the rules.
  public var rulesVersion: String
  /// SHA-256 of the weights.
  public var checksum: String
  /// How many texts of each source trained.
  public var sources: [(name: String, texts: Int)]
  /// How many templates of our own trained, and how many were kept apart.
  public var templates: (training: Int, held: Int)
  /// What the trainer found.
  public var parameters: TextModel.Parameters
  /// The figures.
  public var rows: [Row]

  /// A card.
  public init(
    version: String, rulesVersion: String, checksum: String,
    sources: [(name: String, texts: Int)], templates: (training: Int, held: Int),
    parameters: TextModel.Parameters, rows: [Row]
  ) {
    self.version = version
    self.rulesVersion = rulesVersion
    self.checksum = checksum
    self.sources = sources
    self.templates = templates
    self.parameters = parameters
    self.rows = rows
  }

  private static let about: [String: String] = [
    "uci":
      "UCI SMS Spam Collection v.1 (Almeida, Gomez Hidalgo, Yamakami, DocEng 2011); free for all purposes, with citation",
    "mendeley": "SMS Phishing Dataset (Mishra and Soni, Mendeley f45bkkt8pr); CC BY 4.0",
    "ncsu": "public SMS gateways (IEEE S&P 2024); MIT. Texts that offer an opt-out count a tenth",
    "otp_th": "genuine one-time codes and service texts; MIT",
    "ftc_robocall": "FTC Point of No Entry robocalls, machine transcripts; public domain",
    "spamassassin": "SpamAssassin public corpus of 2002, e-mail; ODC PDDL / CC0",
    "written": "written out for Kith (`tools/risk-training/written`); as the project",
    "own":
      "generated from templates written for Kith (`tools/risk-training/templates`); as the project",
  ]

  /// The card as Markdown.
  public var markdown: String {
    func percent(_ value: Double?) -> String {
      value.map { String(format: "%.1f %%", 100 * $0) } ?? "-"
    }
    func number(_ value: Double?) -> String {
      value.map { String(format: "%.3f", $0) } ?? "-"
    }
    var lines = [
      "# Model card: text model \(version)", "",
      "Written by `tools/train-risk`; do not edit. Rules \(rulesVersion); weights SHA-256 `\(checksum)`.",
      "",
      "What it is: logistic regression over hashed words, word pairs, pieces of words, traits of links and phrase lists of the "
        + "rules (2^18 weights of 16 bits), read in windows of \(TextModel.windowTokens) words, blended with the rules. What for: to "
        + "warn a person of fraud in a text that she received. What not for: to block, or to judge people.",
      "", "## Data", "", "| source | texts | what, and licence as stated |", "|---|---|---|",
    ]
    for source in sources {
      lines.append("| \(source.name) | \(source.texts) | \(Self.about[source.name] ?? "") |")
    }
    lines += [
      "",
      "Our own: \(templates.training) templates train, \(templates.held) (one in eight, by template) are kept apart to measure "
        + "with, and of the texts written out one in five. Half of the scams and an eighth of the other texts also train in a disguise. Marketing is no fraud: it trains as \"no "
        + "scam\" with half weight. Nothing is fitted to Super SMS, ExAIS and SpamHunter (no licence stated); they measure.",
      "", "## Figures", "",
      "Flagged: score of 0.35 (medium) or more. *left out*: by a model trained without that source, the honest estimate for a new "
        + "one; *unseen*: by the shipped model, on a source or template that training never saw; *same source*: by the shipped model, on "
        + "other texts of a source that it trained on, which flatters. Calibration and blend are fitted on the texts left out.",
      "",
      "| set | how held | texts | scams | recall | AUC | calibration error | flagged legitimate | flagged marketing |",
      "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows {
      let f = row.figures
      lines.append(
        "| \(row.name) | \(row.held) | \(f.texts) | \(f.scams) | \(percent(f.recall)) | \(number(f.auc)) | "
          + "\(number(f.ece)) | \(percent(f.falsePositivesLegit)) | \(percent(f.falsePositivesSpam)) |"
      )
    }
    lines += [
      "", "## Limits", "",
      "- English. Spanish is known from a few templates; in other languages confidence is low and a scam may be missed.",
      "- Many campaigns of the public gateways are marketing that their makers count as scams: recall on `ncsu` is not all loss.",
      "- Calls, letters and modern e-mail are known from texts that we wrote ourselves: invented, by few hands, the genuine ones on purpose hard "
        + "(every second has what scams have, too). Those kept apart are by the same hands. Mail of 2002 left out of training is often flagged.",
      "- Super SMS counts much plain phishing as marketing, so what is flagged of its marketing, and its calibration error with it, is not "
        + "all loss; `tools/eval-risk` prints the calibration error also without marketing.",
      "- The rules were written with errors on all of these sets in view, our held-out templates among them: figures on new sources will be lower.",
      "- It follows no link and does not know who sent the text.", "", "## Reproduce", "",
      "`tools/train-risk --data DIR` with `train.jsonl` and `tune.jsonl` (and `measure.jsonl` for the figures) in DIR: the same "
        + "input gives the same bytes. `tools/eval-risk --data DIR` compares with a scikit-learn baseline and SpamAssassin, and with "
        + "disguised texts; `tools/eval-risk --leave-one-out --data DIR` prints the figures of sources left out.",
      "",
      "Parameters: share of the model \(number(parameters.share)), blend \(number(parameters.blendSlope)) x + "
        + "\(number(parameters.blendOffset)), calibration \(number(parameters.calibrationSlope)) x + "
        + "\(number(parameters.calibrationOffset)).", "",
    ]
    return lines.joined(separator: "\n")
  }
}
