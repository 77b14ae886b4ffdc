import KithWorker
import PersonalDataService

try await Worker.run { _ in [ScrubberService().definition] }
