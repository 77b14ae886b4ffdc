internal import CCurl
import Glibc
import Synchronization

/// One transfer: an easy handle of libcurl, what it sends and what has come.
///
/// `@unchecked Sendable`: the task that makes it gives it away, and from then on the thread of
/// ``Transfers`` alone touches it, within which libcurl calls back.
final class Transfer: @unchecked Sendable {
  /// The most that a server may answer.
  private static let mostBytes = 1 << 20

  let number: UInt64
  let handle: UnsafeMutableRawPointer
  var continuation: CheckedContinuation<Result<TransferAnswer, TransferError>, Never>?
  /// Whether nobody waits any more, for libcurl where it holds the thread. From any thread.
  let isGivenUp = Atomic(false)
  /// From when on libcurl is not to hold the thread.
  private let deadline: ContinuousClock.Instant
  private let isMail: Bool
  private let needsHTTP2: Bool
  private let upload: [UInt8]
  private var uploaded = 0
  private var body: [UInt8] = []
  private var headers: [String: String] = [:]
  private var lastLine: [UInt8] = []
  private var list: UnsafeMutablePointer<curl_slist>?

  private init(
    number: UInt64, url: String, isMail: Bool, needsHTTP2: Bool, upload: [UInt8],
    timeout: Duration, settings: TransferSettings
  ) throws(TransferError) {
    guard let handle = curl_easy_init() else {
      throw TransferError(.unreachable, "libcurl has no memory")
    }
    self.number = number
    self.handle = handle
    self.isMail = isMail
    self.needsHTTP2 = needsHTTP2
    self.upload = upload
    deadline = .now + timeout
    let protocols = isMail ? "smtp,smtps" : "https"
    let host = try Self.host(of: url, protocols: protocols)
    guard settings.allows(host) else {
      throw TransferError(.invalid, "the host \(host) is not among those that are granted")
    }
    try set(CURLOPT_URL, url)
    try set(CURLOPT_PROTOCOLS_STR, protocols)
    try set(CURLOPT_FOLLOWLOCATION, 0)
    try set(CURLOPT_NOSIGNAL, 1)
    // Written out though they are libcurl's defaults: nothing here may be sent to a stranger.
    try set(CURLOPT_SSL_VERIFYPEER, 1)
    try set(CURLOPT_SSL_VERIFYHOST, 2)
    try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    try set(CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue))
    if let authorities = settings.authorities { try set(CURLOPT_CAINFO, authorities) }
    try set(CURLOPT_PROXY, settings.proxy)
    try set(CURLOPT_CONNECTTIMEOUT_MS, settings.connectTimeout.milliseconds)
    // Behind the deadline of ``goOn``, which knows what else to do.
    try set(CURLOPT_TIMEOUT_MS, (timeout + .seconds(5)).milliseconds)
    try check(
      kith_curl_set_functions(
        handle, Self.takeBody, Self.takeHeader, Self.giveUpload, Self.goOn,
        Unmanaged.passUnretained(self).toOpaque()))
  }

  /// A request over HTTPS.
  convenience init(
    _ request: HTTPTransfer, number: UInt64, settings: TransferSettings
  ) throws(TransferError) {
    try self.init(
      number: number, url: request.url, isMail: false, needsHTTP2: request.needsHTTP2,
      upload: [], timeout: request.timeout, settings: settings)
    try set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
    // To wait for a connection that is being made and will carry several is better than another.
    try set(CURLOPT_PIPEWAIT, 1)
    try set(CURLOPT_POST, 1)
    let count = curl_off_t(request.body.count)
    try check(kith_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, count))
    // COPYPOSTFIELDS after the size, as its manual page says.
    let code = request.body.withUnsafeBytes { bytes in
      kith_curl_set_pointer(
        handle, CURLOPT_COPYPOSTFIELDS,
        UnsafeMutableRawPointer(mutating: bytes.baseAddress ?? UnsafeRawPointer(handle)))
    }
    try check(code)
    // libcurl waits a second for "100 Continue" otherwise.
    try append("expect:")
    for (name, value) in request.headers {
      // "name;" is how libcurl is told of an empty value.
      try append(value.isEmpty ? "\(name);" : "\(name): \(value)")
    }
    try check(kith_curl_set_list(handle, CURLOPT_HTTPHEADER, list))
    try use(request.credentials)
    if request.credentials != nil { try set(CURLOPT_HTTPAUTH, Int(1)) }
  }

  /// A message for a mail server.
  convenience init(
    _ mail: MailTransfer, number: UInt64, settings: TransferSettings
  ) throws(TransferError) {
    try self.init(
      number: number, url: mail.url, isMail: true, needsHTTP2: false, upload: mail.message,
      timeout: mail.timeout, settings: settings)
    for address in [mail.sender, mail.recipient]
    where address.isEmpty || address.utf8.contains(where: { $0 <= 0x20 || "<>".utf8.contains($0) })
    {
      throw TransferError(.invalid, "an address of the envelope is malformed")
    }
    try set(CURLOPT_MAIL_FROM, "<\(mail.sender)>")
    try append("<\(mail.recipient)>")
    try check(kith_curl_set_list(handle, CURLOPT_MAIL_RCPT, list))
    try set(CURLOPT_UPLOAD, 1)
    try check(kith_curl_set_size(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(mail.message.count)))
    try use(mail.credentials)
  }

  deinit {
    curl_easy_cleanup(handle)
    curl_slist_free_all(list)
  }

  /// Gives the result to whoever waits. Once.
  func end(_ result: Result<TransferAnswer, TransferError>) {
    continuation.take()?.resume(returning: result)
  }

  // MARK: What became of it

  /// The result of a transfer that is done.
  func result(_ code: CURLcode) -> Result<TransferAnswer, TransferError> {
    let status = kith_curl_number(handle, CURLINFO_RESPONSE_CODE)
    if code == CURLE_OK, needsHTTP2,
      kith_curl_number(handle, CURLINFO_HTTP_VERSION) != CURL_HTTP_VERSION_2_0
    {
      return .failure(TransferError(.broken, "the server does not speak HTTP/2", mayBeTaken: true))
    }
    if code == CURLE_OK || isMail && status >= 400 {
      return .success(
        TransferAnswer(status: status, headers: headers, body: isMail ? lastLine : body))
    }
    if isGivenUp.load(ordering: .relaxed) {
      return .failure(
        TransferError(.cancelled, "the task was cancelled", mayBeTaken: mayBeTaken))
    }
    return .failure(
      TransferError(
        Self.kind(of: code), String(cString: curl_easy_strerror(code)), mayBeTaken: mayBeTaken))
  }

  /// Whether the server may have all that it needs to act. A mail server acts on the last dot,
  /// which follows the last byte; any other on the request, which follows the handshake.
  var mayBeTaken: Bool {
    isMail
      ? uploaded == upload.count && kith_curl_size(handle, CURLINFO_PRETRANSFER_TIME_T) > 0
      : kith_curl_size(handle, CURLINFO_PRETRANSFER_TIME_T) > 0
  }

  private static func kind(of code: CURLcode) -> TransferError.Code {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT,
      CURLE_PROXY:
      .unreachable
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_USE_SSL_FAILED,
      CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CERTPROBLEM:
      .insecure
    case CURLE_OPERATION_TIMEDOUT: .timeout
    // By ``goOn``; who was cancelled is told so by the thread, or here.
    case CURLE_ABORTED_BY_CALLBACK: .timeout
    case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_LOGIN_DENIED: .invalid
    default: .broken
    }
  }

  // MARK: Options

  private func set(_ option: CURLoption, _ value: Int) throws(TransferError) {
    try check(kith_curl_set_number(handle, option, value))
  }

  private func set(_ option: CURLoption, _ value: String) throws(TransferError) {
    try check(kith_curl_set_text(handle, option, value))
  }

  private func use(_ credentials: (user: String, password: String)?) throws(TransferError) {
    guard let credentials else { return }
    try set(CURLOPT_USERNAME, credentials.user)
    try set(CURLOPT_PASSWORD, credentials.password)
  }

  private func append(_ line: String) throws(TransferError) {
    guard !line.utf8.contains(where: { $0 == 13 || $0 == 10 || $0 == 0 }) else {
      throw TransferError(.invalid, "a header has a line break")
    }
    guard let longer = curl_slist_append(list, line) else {
      throw TransferError(.unreachable, "libcurl has no memory")
    }
    list = longer
  }

  private func check(_ code: CURLcode) throws(TransferError) {
    guard code != CURLE_OK else { return }
    throw TransferError(.invalid, String(cString: curl_easy_strerror(code)))
  }

  /// The host of a URL of one of these protocols, in lower case.
  private static func host(of url: String, protocols: String) throws(TransferError) -> String {
    let parsed = curl_url()
    defer { curl_url_cleanup(parsed) }
    func part(_ part: CURLUPart) -> String? {
      var text: UnsafeMutablePointer<CChar>?
      guard curl_url_get(parsed, part, &text, 0) == CURLUE_OK, let text else { return nil }
      defer { curl_free(text) }
      return String(cString: text).lowercased()
    }
    guard curl_url_set(parsed, CURLUPART_URL, url, 0) == CURLUE_OK,
      let scheme = part(CURLUPART_SCHEME),
      protocols.split(separator: ",").contains(scheme[...]), let host = part(CURLUPART_HOST),
      part(CURLUPART_USER) == nil
    else { throw TransferError(.invalid, "expected a URL of \(protocols) without a user") }
    return host
  }

  // MARK: What libcurl calls, on the thread of the transfers

  private static func transfer(_ context: UnsafeMutableRawPointer?) -> Transfer? {
    context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
  }

  private static let takeBody: kith_curl_function = { bytes, size, count, context in
    guard let transfer = transfer(context), let bytes else { return 0 }
    let more = UnsafeRawBufferPointer(start: bytes, count: size * count)
    guard transfer.body.count + more.count <= mostBytes else { return 0 }
    transfer.body += more
    return more.count
  }

  /// A header of HTTP, or a line of SMTP.
  private static let takeHeader: kith_curl_function = { bytes, size, count, context in
    guard let transfer = transfer(context), let bytes else { return 0 }
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    guard line.count <= 64 << 10, transfer.headers.count < 256 else { return 0 }
    if transfer.isMail {
      // A refusal is followed by the answer to QUIT.
      let isRefused = transfer.lastLine.first.map { $0 == 0x34 || $0 == 0x35 } ?? false
      if !isRefused { transfer.lastLine = Array(line.filter { $0 >= 0x20 }) }
    } else if line.starts(with: "HTTP/1.".utf8) {
      // No connection of HTTP/1 is used twice: what came behind an answer would be the next one's.
      kith_curl_set_number(transfer.handle, CURLOPT_FORBID_REUSE, 1)
    } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
      let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
      let value = line[(colon + 1)...].drop { $0 == 0x20 || $0 == 9 }.prefix { $0 >= 0x20 }
      transfer.headers[name] = String(decoding: value, as: UTF8.self)
    }
    return line.count
  }

  /// Called every second also where libcurl holds the thread: ends that when nobody waits any more.
  private static let goOn: kith_curl_progress = { context, _, _, _, _ in
    guard let transfer = transfer(context) else { return 1 }
    guard transfer.isGivenUp.load(ordering: .relaxed) || ContinuousClock.now > transfer.deadline
    else { return 0 }
    // The server's word may still come, and would be taken for one about the next mail. Of HTTP/2
    // it is the stream alone that ends.
    if transfer.isMail { kith_curl_set_number(transfer.handle, CURLOPT_FORBID_REUSE, 1) }
    return 1
  }

  private static let giveUpload: kith_curl_function = { bytes, size, count, context in
    guard let transfer = transfer(context), let bytes else { return 0 }
    let next = transfer.upload[transfer.uploaded...].prefix(size * count)
    next.withUnsafeBytes {
      UnsafeMutableRawPointer(bytes).copyMemory(
        from: $0.baseAddress ?? UnsafeRawPointer(bytes), byteCount: $0.count)
    }
    transfer.uploaded += next.count
    return next.count
  }
}

extension Duration {
  /// Whole milliseconds, at least one: libcurl takes 0 for "no limit".
  fileprivate var milliseconds: Int {
    let (seconds, attoseconds) = components
    return max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
  }
}
