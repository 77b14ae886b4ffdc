import KithSupervision

/// Listening to what processes report of their health.
extension Host {
  /// Listens to a process for as long as it reports.
  func listen(to incarnation: Incarnation) {
    guard let link = workers[incarnation]?.link else { return }
    workers[incarnation.worker].listen(to: incarnation.generation)
    tasks.add {
      let end = await link.watch { await self.heard($0, from: incarnation) }
      await self.listeningEnded(end, to: incarnation, link)
    }
  }

  private func heard(_ report: HealthReportMessage, from incarnation: Incarnation) {
    let isFirst = workers[incarnation.worker].heard(report, from: incarnation.generation)
    if let store = report.store {
      write(stores.report(store, of: incarnation.worker, at: clock.now.sinceStart))
    }
    if isFirst { post(.stepCompleted(incarnation, .watch)) }
    post(.reported(incarnation, report.report))
  }

  private func listeningEnded(_ end: WatchEnd, to incarnation: Incarnation, _ link: WorkerLink) {
    switch workers[incarnation.worker].listeningEnded(end, of: incarnation.generation) {
    case .unwatchable:
      post(.stepCompleted(incarnation, .watch))
      post(.unwatchable(incarnation))
    case .neverReported:
      post(
        .stepFailed(
          incarnation, .watch,
          StartFailure(reason: "it does not tell how it is", isDisconnection: true)))
    case .listenAgain:
      // After a moment in which the end of the process may be noticed.
      tasks.add {
        try? await Task.sleep(for: .milliseconds(50))
        await self.listenAgain(to: incarnation, link)
      }
    case .over:
      write(stores.end(of: incarnation.worker, at: clock.now.sinceStart))
      if workers[incarnation] == nil { link.close() }
      // For those who wait for the last report.
      post(.timePassed)
    }
  }

  private func listenAgain(to incarnation: Incarnation, _ link: WorkerLink) {
    if workers[incarnation] != nil {
      listen(to: incarnation)
    } else {
      // It ended in that moment: its last report does not come.
      listeningEnded(.ended, to: incarnation, link)
    }
  }

  /// Writes how far a worker's store has come, on the thread that may wait for the disk.
  private func write(_ writing: StoreRecords.Writing?) {
    guard let writing else { return }
    logs.perform {
      do throws(SystemError) {
        try writing.write()
      } catch {
        self.reactor.perform {
          self.assumeIsolated {
            $0.log("how far a store has come is not on the disk: \(error)", level: .error)
          }
        }
      }
    }
  }
}
