// gRPC C++ over a unix socket, with the message and the answer that the other stacks have: the peer outside Swift.
//
//   peer serve PATH                        serves Analyze until it is ended
//   peer load PATH IN_FLIGHT SECONDS       prints calls a second, p50 and p99 in microseconds
//
// Both sides use the callback API, which gRPC recommends and which is its fastest that keeps many calls in flight.
// tools/bench builds it where Debian's packages for it are installed.

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "kith/risk/v1/risk.grpc.pb.h"

namespace risk = kith::risk::v1;
using Clock = std::chrono::steady_clock;

// The text of SharedHandler.swift.
static const char requestText[] =
    "IRS: a warrant is out for your arrest. Pay $900 in gift cards today and read the codes to our "
    "officer, or the police will come to your house within the next hour.";

// How many reasons the answer has: one for each of three words that the text holds, as in SharedHandler.swift.
static int reasonCount(std::string_view text) {
  int count = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (word == "warrant" || word == "gift" || word == "police") count += 1;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return count;
}

class Service final : public risk::RiskEngine::CallbackService {
  grpc::ServerUnaryReactor* Analyze(grpc::CallbackServerContext* context,
                                    const risk::AnalyzeRequest* request,
                                    risk::AnalyzeResponse* response) override {
    response->set_score(0.91);
    response->set_score_100(91);
    response->set_level(risk::HIGH);
    response->set_label(risk::LIKELY_SCAM);
    const int count = reasonCount(request->text());
    for (int index = 0; index < count; index += 1) {
      risk::Reason* reason = response->add_reasons();
      reason->set_signal("gift_card_payment");
      reason->set_sentence("Nobody official asks to be paid in gift cards.");
      reason->set_share(0.5);
      reason->mutable_span()->set_start(index);
      reason->mutable_span()->set_end(index + 9);
    }
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }
};

static int serve(const std::string& path) {
  Service service;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("unix:" + path, grpc::InsecureServerCredentials());
  builder.RegisterService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (!server) return 1;
  server->Wait();
  return 0;
}

// How many callers still have a call in progress.
struct Countdown {
  std::mutex mutex;
  std::condition_variable reachedZero;
  int left;

  void decrement() {
    const std::lock_guard<std::mutex> lock(mutex);
    left -= 1;
    // Under the lock: whoever waits destroys this as soon as it sees zero.
    if (left == 0) reachedZero.notify_one();
  }

  void wait() {
    std::unique_lock<std::mutex> lock(mutex);
    reachedZero.wait(lock, [this] { return left == 0; });
  }
};

// Makes one call after the other; each begins in the callback that ends the last.
class Caller {
 public:
  Caller(risk::RiskEngine::Stub* stub, Clock::time_point begin, Clock::time_point end, Countdown* running)
      : stub_(stub), begin_(begin), end_(end), running_(running) {
    request_.set_text(requestText);
    request_.set_channel(risk::SMS);
    request_.set_locale("en-US");
    request_.set_state("WA");
    latencies.reserve(1 << 14);
  }

  void callNext() {
    context_ = std::make_unique<grpc::ClientContext>();
    response_.Clear();
    before_ = Clock::now();
    stub_->async()->Analyze(context_.get(), &request_, &response_,
                            [this](const grpc::Status& status) { ended(status); });
  }

  // Of the calls that began and ended within the measurement, in microseconds.
  std::vector<double> latencies;

 private:
  void ended(const grpc::Status& status) {
    const Clock::time_point after = Clock::now();
    if (!status.ok() || response_.reasons_size() != 3) {
      std::fprintf(stderr, "the peer answered something else: %s\n", status.error_message().c_str());
      std::_Exit(1);
    }
    if (before_ >= begin_) {
      latencies.push_back(std::chrono::duration<double, std::micro>(after - before_).count());
    }
    if (after < end_) {
      callNext();
    } else {
      running_->decrement();
    }
  }

  risk::RiskEngine::Stub* stub_;
  Clock::time_point begin_;
  Clock::time_point end_;
  Countdown* running_;
  Clock::time_point before_;
  std::unique_ptr<grpc::ClientContext> context_;
  risk::AnalyzeRequest request_;
  risk::AnalyzeResponse response_;
};

static int load(const std::string& path, int inFlight, double seconds) {
  const std::shared_ptr<grpc::Channel> channel =
      grpc::CreateChannel("unix:" + path, grpc::InsecureChannelCredentials());
  if (!channel->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(10))) {
    std::fprintf(stderr, "nothing listens at %s\n", path.c_str());
    return 1;
  }
  const std::unique_ptr<risk::RiskEngine::Stub> stub = risk::RiskEngine::NewStub(channel);
  const auto duration = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  const Clock::time_point begin = Clock::now() + duration / 5;
  Countdown running{{}, {}, inFlight};
  std::vector<std::unique_ptr<Caller>> callers;
  for (int index = 0; index < inFlight; index += 1) {
    callers.push_back(std::make_unique<Caller>(stub.get(), begin, begin + duration, &running));
  }
  for (const auto& caller : callers) caller->callNext();
  running.wait();

  std::vector<double> latencies;
  for (const auto& caller : callers) {
    latencies.insert(latencies.end(), caller->latencies.begin(), caller->latencies.end());
  }
  if (latencies.empty()) return 1;
  std::sort(latencies.begin(), latencies.end());
  const auto percentile = [&](size_t percent) {
    return latencies[std::min(latencies.size() - 1, latencies.size() * percent / 100)];
  };
  std::printf("%f %f %f\n", latencies.size() / seconds, percentile(50), percentile(99));
  return 0;
}

int main(int argumentCount, char** arguments) {
  if (argumentCount == 3 && std::strcmp(arguments[1], "serve") == 0) return serve(arguments[2]);
  if (argumentCount == 5 && std::strcmp(arguments[1], "load") == 0) {
    return load(arguments[2], std::atoi(arguments[3]), std::atof(arguments[4]));
  }
  std::fprintf(stderr, "usage: peer serve PATH | peer load PATH IN_FLIGHT SECONDS\n");
  return 64;
}
