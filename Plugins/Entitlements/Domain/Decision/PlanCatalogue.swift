/// The plans of a product, from the lowest to the highest, and what is sold for each.
public struct PlanCatalogue: Sendable, Hashable {
  /// What is wrong with a catalogue.
  public struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The key of the configuration; empty where it is about several.
    public let key: String
    /// What was expected.
    public let description: String

    init(key: String = "", description: String) {
      (self.key, self.description) = (key, description)
    }
  }

  /// The plans, the lowest first: what everybody has.
  public let plans: [SoldPlan]
  /// The features that nobody is ever refused: those on which somebody's safety depends.
  public let safety: Set<String>
  private let rankByProduct: [String: Int]

  /// A catalogue.
  /// - Parameter products: the plan's name by what the stores call the product.
  /// - Throws: if there is no plan, two have one name, or a product names none of them.
  public init(
    plans: [SoldPlan], products: [String: String], safety: Set<String> = []
  ) throws(Problem) {
    guard !plans.isEmpty else {
      throw Problem(key: "plans", description: "expected at least one plan")
    }
    var ranks: [String: Int] = [:]
    for (rank, plan) in plans.enumerated() {
      guard ranks.updateValue(rank, forKey: plan.name) == nil else {
        throw Problem(key: "plans", description: "two plans are called '\(plan.name)'")
      }
    }
    var rankByProduct: [String: Int] = [:]
    for (product, plan) in products {
      guard let rank = ranks[plan] else {
        throw Problem(key: "products", description: "product '\(product)' names no plan: '\(plan)'")
      }
      rankByProduct[product] = rank
    }
    (self.plans, self.safety, self.rankByProduct) = (plans, safety, rankByProduct)
  }

  /// The rank of what a product is sold for; nil for a product that is not sold here.
  func rank(ofProduct product: String) -> Int? { rankByProduct[product] }

  /// Whether a product is sold here.
  public func sells(_ product: String) -> Bool { rankByProduct[product] != nil }

  /// The names of the plans that have a feature, the lowest first.
  public func plans(with feature: String) -> [String] {
    plans.filter { $0.features.contains(feature) }.map(\.name)
  }

  /// Whether any plan limits a quota of that name.
  public func knows(quota: String) -> Bool { plans.contains { $0.limits[quota] != nil } }
}
