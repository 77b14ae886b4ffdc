import DeliveryService
import KithTransfer
import KithWorker

extension DeliverySettings {
  /// The keys that are taken over while the worker runs; the others need a new process.
  static let reloadedKeys = [
    "person", "push", "call", "sms", "email", "webhook", "outbox_folder", "mail_from", "smtp_url",
    "smtp_user", "smtp_password_file", "apns_url", "apns_key_file", "apns_key_id", "apns_team_id",
    "apns_topic", "fcm_url", "fcm_account_file", "twilio_url", "twilio_account",
    "twilio_token_file", "twilio_from", "twilio_callback_url", "webhook_secret_file",
    "attempt_timeout", "most_per_second", "keep_content",
  ]

  /// The settings of a configuration.
  init(reading configuration: WorkerConfiguration) throws {
    try self.init(
      person: configuration.string("person"),
      push: configuration.strings("push"), call: configuration.strings("call"),
      sms: configuration.strings("sms"), email: configuration.strings("email"),
      webhook: configuration.strings("webhook"), sender: configuration.string("mail_from"),
      outboxFolder: configuration.string("outbox_folder"),
      attemptTimeout: configuration.duration("attempt_timeout"),
      mostAttempts: configuration.integer("most_attempts"),
      rates: configuration.strings("most_per_second"),
      contentLife: configuration.duration("keep_content"))
    mail.url = try configuration.string("smtp_url")
    mail.user = try configuration.string("smtp_user")
    mail.passwordFile = try configuration.string("smtp_password_file")
    applePush.url = try configuration.string("apns_url")
    applePush.keyFile = try configuration.string("apns_key_file")
    applePush.keyID = try configuration.string("apns_key_id")
    applePush.team = try configuration.string("apns_team_id")
    applePush.topic = try configuration.string("apns_topic")
    cloudPush.url = try configuration.string("fcm_url")
    cloudPush.accountFile = try configuration.string("fcm_account_file")
    textMessages.url = try configuration.string("twilio_url")
    textMessages.account = try configuration.string("twilio_account")
    textMessages.tokenFile = try configuration.string("twilio_token_file")
    textMessages.sender = try configuration.string("twilio_from")
    textMessages.callbackURL = try configuration.string("twilio_callback_url")
    webhookSecretFile = try configuration.string("webhook_secret_file")
    authoritiesFile = try configuration.string("authorities_file")
    proxy = try configuration.string("proxy")
  }

  /// How transfers reach the network.
  /// - Parameter folder: the worker's state folder, in which relative paths begin.
  func transfers(
    in folder: String, allowing allows: @escaping @Sendable (String) -> Bool
  ) -> TransferSettings {
    let path = authoritiesFile.hasPrefix("/") ? authoritiesFile : "\(folder)/\(authoritiesFile)"
    return TransferSettings(
      authorities: authoritiesFile.isEmpty ? nil : path, proxy: proxy, allows: allows)
  }
}
