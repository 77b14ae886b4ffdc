import KithManifest

/// The manifests of plugins and products.
struct ManifestsTarget: FuzzTarget {
  func run(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    do throws(ManifestErrors) {
      _ = try PluginManifest(parsing: text, file: "plugin.yaml")
    } catch {
      check(error)
    }
    do throws(ManifestErrors) {
      let product = try ProductManifest(parsing: text, file: "product.yaml")
      // Over itself, as over a base.
      _ = try product.extending(product)
    } catch {
      check(error)
    }
  }

  /// Every refusal says where and why.
  private func check(_ errors: ManifestErrors) {
    require(!errors.errors.isEmpty, "it is refused without a reason")
    require(errors.errors.allSatisfy { !$0.description.isEmpty }, "an error without words")
  }
}
