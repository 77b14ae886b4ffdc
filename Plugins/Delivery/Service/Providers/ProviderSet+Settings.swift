import DeliveryDomain
import FoundationEssentials
public import KithRPC
public import KithTime
public import KithTransfer

extension ProviderSet {
  /// The providers that a product's settings name.
  /// - Parameters:
  ///   - folder: the worker's state folder, in which relative paths begin.
  ///   - now: what time it really is.
  /// - Throws: INVALID_ARGUMENT that names the key; it quotes no value.
  public init(
    _ settings: DeliverySettings, folder: String, transfers: Transfers,
    now: @escaping @Sendable () -> Instant
  ) throws(RPCError) {
    let maker = ProviderMaker(
      settings: settings, files: SecretFiles(folder: folder), transfers: transfers, now: now)
    var made: [String: any DeliveryProvider] = [:]
    for name in Set(settings.channels.values.joined()) { made[name] = try maker.make(name) }
    self.init(settings.channels.mapValues { names in names.compactMap { made[$0] } })
  }
}

/// Makes providers of settings and the files that they name.
private struct ProviderMaker {
  let settings: DeliverySettings
  let files: SecretFiles
  let transfers: Transfers
  let now: @Sendable () -> Instant

  private var timeout: Duration { settings.attemptTimeout }

  func make(_ name: String) throws(RPCError) -> any DeliveryProvider {
    switch name {
    case "outbox":
      OutboxFolder(path: files.path(settings.outboxFolder), sender: settings.sender)
    case "smtp": try mail()
    case "apns": try applePush()
    case "fcm": try cloudPush()
    case "twilio": try textMessages()
    default: try webhook()
    }
  }

  private func mail() throws(RPCError) -> MailSubmission {
    let mail = settings.mail
    guard mail.url.hasPrefix("smtp://") || mail.url.hasPrefix("smtps://") else {
      throw .invalidArgument(
        field: "configuration.smtp_url", "expected smtp://HOST:587 or smtps://HOST")
    }
    return MailSubmission(
      transfers: transfers, url: mail.url, sender: settings.sender,
      credentials: mail.user.isEmpty
        ? nil : (mail.user, try files.line(mail.passwordFile, key: "smtp_password_file")),
      timeout: timeout)
  }

  private func applePush() throws(RPCError) -> ApplePush {
    let apple = settings.applePush
    let pem = try files.text(apple.keyFile, key: "apns_key_file")
    guard
      let account = try? ApplePush.Account(
        team: apple.team, keyID: apple.keyID, pem: pem, bundle: apple.topic)
    else {
      throw .invalidArgument(
        field: "configuration.apns_key_file", "expected the key as Apple gives it (.p8)")
    }
    return ApplePush(
      transfers: transfers, url: apple.url, account: account, timeout: timeout, now: now)
  }

  private func cloudPush() throws(RPCError) -> CloudPush {
    let text = try files.text(settings.cloudPush.accountFile, key: "fcm_account_file")
    guard let account = try? CloudPush.Account(json: text) else {
      throw .invalidArgument(
        field: "configuration.fcm_account_file",
        "expected the file of a service account as Google gives it (.json)")
    }
    return CloudPush(
      transfers: transfers, url: settings.cloudPush.url, account: account, timeout: timeout,
      now: now)
  }

  private func textMessages() throws(RPCError) -> TextMessages {
    let twilio = settings.textMessages
    return TextMessages(
      transfers: transfers, url: twilio.url,
      account: TextMessages.Account(
        sid: twilio.account, token: try files.line(twilio.tokenFile, key: "twilio_token_file"),
        sender: twilio.sender, callbackURL: twilio.callbackURL), timeout: timeout)
  }

  private func webhook() throws(RPCError) -> Webhook {
    let file = settings.webhookSecretFile
    let secret = file.isEmpty ? "" : try files.line(file, key: "webhook_secret_file")
    return Webhook(transfers: transfers, secret: Array(secret.utf8), timeout: timeout, now: now)
  }
}

/// The files of credentials. Their content goes nowhere but to their provider.
struct SecretFiles {
  /// The folder in which relative paths begin.
  let folder: String

  func path(_ path: String) -> String { path.hasPrefix("/") ? path : "\(folder)/\(path)" }

  /// The content of a file.
  func text(_ file: String, key: String) throws(RPCError) -> String {
    guard !file.isEmpty, let data = FileManager.default.contents(atPath: path(file)),
      let text = String(validating: data, as: UTF8.self)
    else {
      throw .invalidArgument(
        field: "configuration.\(key)",
        "expected a file that the worker can read: below /etc, or relative to its state folder")
    }
    return text
  }

  /// The first line of a file.
  func line(_ file: String, key: String) throws(RPCError) -> String {
    let line = try text(file, key: key).split(whereSeparator: \.isNewline).first.map(String.init)
    guard let line, !line.isEmpty else {
      throw .invalidArgument(field: "configuration.\(key)", "the file is empty")
    }
    return line
  }
}
