import Glibc

// The two functions that libFuzzer looks for by name. It has the program's `main` and its
// arguments, so the target is told by a variable.

/// Called once, at the start.
@_cdecl("LLVMFuzzerInitialize")
public func initializeFuzzer(
  _ count: UnsafeMutableRawPointer?, _ arguments: UnsafeMutableRawPointer?
) -> CInt {
  let names = FuzzTargets.names.joined(separator: ", ")
  guard let name = getenv("KITH_FUZZ_TARGET").map({ String(cString: $0) }),
    FuzzTargets.choose(name)
  else {
    print("kith-fuzz: KITH_FUZZ_TARGET must name one of \(names); tools/fuzz does it")
    exit(64)
  }
  return 0
}

/// Called with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
  FuzzTargets.run(UnsafeRawBufferPointer(start: data, count: size))
  return 0
}
