import AccessContract
import DescriptorContract
import EventsContract
import HealthContract
import HostContract
import IdentityContract
import KithWire
import MetricsContract
import PIIContract
import RPCContract
import ReflectionContract
import RemindersContract
import RiskContract
import SwiftProtobuf
import TestingContract
import WorkerContract

/// A message in both implementations.
struct Pair: Sendable, CustomStringConvertible {
  /// The full name of the message.
  let name: String
  /// Decodes and encodes through libprotobuf-c.
  let recode: @Sendable ([UInt8]) throws -> [UInt8]
  /// Decodes and encodes through swift-protobuf.
  let recodeByOther: @Sendable ([UInt8]) throws -> [UInt8]
  /// Whether two encoded messages are equal as Swift values.
  let areEqual: @Sendable ([UInt8], [UInt8]) throws -> Bool

  init<Ours: WireMessage, Theirs: SwiftProtobuf.Message>(_ ours: Ours.Type, _ theirs: Theirs.Type) {
    name = Ours.fullName
    recode = { bytes in try Ours(decoding: bytes).encoded() }
    areEqual = { left, right in try Ours(decoding: left) == Ours(decoding: right) }
    recodeByOther = { bytes in
      var options = BinaryEncodingOptions()
      options.useDeterministicOrdering = true
      return try Theirs(serializedBytes: bytes).serializedBytes(options: options)
    }
  }

  var description: String { name }

  /// Every message of `proto/`.
  static let all: [Pair] = [
    Pair(DescriptorProto.self, Google_Protobuf_DescriptorProto.self),
    Pair(DescriptorProto.ExtensionRange.self, Google_Protobuf_DescriptorProto.ExtensionRange.self),
    Pair(DescriptorProto.ReservedRange.self, Google_Protobuf_DescriptorProto.ReservedRange.self),
    Pair(EnumDescriptorProto.self, Google_Protobuf_EnumDescriptorProto.self),
    Pair(
      EnumDescriptorProto.EnumReservedRange.self,
      Google_Protobuf_EnumDescriptorProto.EnumReservedRange.self),
    Pair(EnumOptions.self, Google_Protobuf_EnumOptions.self),
    Pair(EnumValueDescriptorProto.self, Google_Protobuf_EnumValueDescriptorProto.self),
    Pair(EnumValueOptions.self, Google_Protobuf_EnumValueOptions.self),
    Pair(ExtensionRangeOptions.self, Google_Protobuf_ExtensionRangeOptions.self),
    Pair(FieldDescriptorProto.self, Google_Protobuf_FieldDescriptorProto.self),
    Pair(FieldOptions.self, Google_Protobuf_FieldOptions.self),
    Pair(FileDescriptorProto.self, Google_Protobuf_FileDescriptorProto.self),
    Pair(FileDescriptorSet.self, Google_Protobuf_FileDescriptorSet.self),
    Pair(FileOptions.self, Google_Protobuf_FileOptions.self),
    Pair(GeneratedCodeInfo.self, Google_Protobuf_GeneratedCodeInfo.self),
    Pair(GeneratedCodeInfo.Annotation.self, Google_Protobuf_GeneratedCodeInfo.Annotation.self),
    Pair(MessageOptions.self, Google_Protobuf_MessageOptions.self),
    Pair(MethodDescriptorProto.self, Google_Protobuf_MethodDescriptorProto.self),
    Pair(MethodOptions.self, Google_Protobuf_MethodOptions.self),
    Pair(OneofDescriptorProto.self, Google_Protobuf_OneofDescriptorProto.self),
    Pair(OneofOptions.self, Google_Protobuf_OneofOptions.self),
    Pair(ServiceDescriptorProto.self, Google_Protobuf_ServiceDescriptorProto.self),
    Pair(ServiceOptions.self, Google_Protobuf_ServiceOptions.self),
    Pair(SourceCodeInfo.self, Google_Protobuf_SourceCodeInfo.self),
    Pair(SourceCodeInfo.Location.self, Google_Protobuf_SourceCodeInfo.Location.self),
    Pair(UninterpretedOption.self, Google_Protobuf_UninterpretedOption.self),
    Pair(UninterpretedOption.NamePart.self, Google_Protobuf_UninterpretedOption.NamePart.self),

    Pair(EventsContract.Event.self, Kith_Events_V1_Event.self),
    Pair(Lost.self, Kith_Events_V1_Lost.self),
    Pair(Position.self, Kith_Events_V1_Position.self),
    Pair(SubscribeRequest.self, Kith_Events_V1_SubscribeRequest.self),
    Pair(SubscribeResponse.self, Kith_Events_V1_SubscribeResponse.self),

    Pair(AddLinkRequest.self, Kith_Access_V1_AddLinkRequest.self),
    Pair(Link.self, Kith_Access_V1_Link.self),
    Pair(LinkAdded.self, Kith_Access_V1_LinkAdded.self),
    Pair(LinkRemoved.self, Kith_Access_V1_LinkRemoved.self),
    Pair(ListLinksRequest.self, Kith_Access_V1_ListLinksRequest.self),
    Pair(ListLinksResponse.self, Kith_Access_V1_ListLinksResponse.self),
    Pair(RemoveLinkRequest.self, Kith_Access_V1_RemoveLinkRequest.self),
    Pair(RemoveLinkResponse.self, Kith_Access_V1_RemoveLinkResponse.self),

    Pair(CheckRequest.self, Kith_Health_V1_CheckRequest.self),
    Pair(CheckResponse.self, Kith_Health_V1_CheckResponse.self),
    Pair(WatchRequest.self, Kith_Health_V1_WatchRequest.self),
    Pair(WatchResponse.self, Kith_Health_V1_WatchResponse.self),
    Pair(StoreStanding.self, Kith_Health_V1_StoreStanding.self),

    Pair(Alert.self, Kith_Host_V1_Alert.self),
    Pair(ApplyChangesRequest.self, Kith_Host_V1_ApplyChangesRequest.self),
    Pair(ApplyChangesResponse.self, Kith_Host_V1_ApplyChangesResponse.self),
    Pair(ChangeOutcome.self, Kith_Host_V1_ChangeOutcome.self),
    Pair(ChangedSetting.self, Kith_Host_V1_ChangedSetting.self),
    Pair(PlanChangesRequest.self, Kith_Host_V1_PlanChangesRequest.self),
    Pair(PlanChangesResponse.self, Kith_Host_V1_PlanChangesResponse.self),
    Pair(PlannedChange.self, Kith_Host_V1_PlannedChange.self),
    Pair(GetMetricsRequest.self, Kith_Host_V1_GetMetricsRequest.self),
    Pair(GetMetricsResponse.self, Kith_Host_V1_GetMetricsResponse.self),
    Pair(LogTrouble.self, Kith_Host_V1_LogTrouble.self),
    Pair(ProcessMetrics.self, Kith_Host_V1_ProcessMetrics.self),
    Pair(SetWorkerLogLevelRequest.self, Kith_Host_V1_SetWorkerLogLevelRequest.self),
    Pair(SetWorkerLogLevelResponse.self, Kith_Host_V1_SetWorkerLogLevelResponse.self),
    Pair(WorkerMetrics.self, Kith_Host_V1_WorkerMetrics.self),
    Pair(GetClockRequest.self, Kith_Host_V1_GetClockRequest.self),
    Pair(GetClockResponse.self, Kith_Host_V1_GetClockResponse.self),
    Pair(IssuePassRequest.self, Kith_Host_V1_IssuePassRequest.self),
    Pair(IssuePassResponse.self, Kith_Host_V1_IssuePassResponse.self),
    Pair(HostCaller.self, Kith_Identity_V1_HostCaller.self),
    Pair(OperatorCaller.self, Kith_Identity_V1_OperatorCaller.self),
    Pair(Pass.self, Kith_Identity_V1_Pass.self),
    Pair(PassStatement.self, Kith_Identity_V1_PassStatement.self),
    Pair(Ticket.self, Kith_Identity_V1_Ticket.self),
    Pair(TicketStatement.self, Kith_Identity_V1_TicketStatement.self),
    Pair(WorkerCaller.self, Kith_Identity_V1_WorkerCaller.self),
    Pair(WorkerProof.self, Kith_Identity_V1_WorkerProof.self),
    Pair(AbsentEvents.self, Kith_Host_V1_AbsentEvents.self),
    Pair(HostContract.MoveClockRequest.self, Kith_Host_V1_MoveClockRequest.self),
    Pair(HostContract.MoveClockResponse.self, Kith_Host_V1_MoveClockResponse.self),
    Pair(GetStatusRequest.self, Kith_Host_V1_GetStatusRequest.self),
    Pair(GetStatusResponse.self, Kith_Host_V1_GetStatusResponse.self),
    Pair(RemoteServiceStatus.self, Kith_Host_V1_RemoteServiceStatus.self),
    Pair(LogLine.self, Kith_Host_V1_LogLine.self),
    Pair(HandOverKeysRequest.self, Kith_Host_V1_HandOverKeysRequest.self),
    Pair(HandOverKeysResponse.self, Kith_Host_V1_HandOverKeysResponse.self),
    Pair(ReadLogRequest.self, Kith_Host_V1_ReadLogRequest.self),
    Pair(NetworkSecurity.self, Kith_Host_V1_NetworkSecurity.self),
    Pair(ReadLogResponse.self, Kith_Host_V1_ReadLogResponse.self),
    Pair(ResolveRequest.self, Kith_Host_V1_ResolveRequest.self),
    Pair(ResolveResponse.self, Kith_Host_V1_ResolveResponse.self),
    Pair(RestartWorkersRequest.self, Kith_Host_V1_RestartWorkersRequest.self),
    Pair(RestartWorkersResponse.self, Kith_Host_V1_RestartWorkersResponse.self),
    Pair(Replacement.self, Kith_Host_V1_Replacement.self),
    Pair(UpgradeWorkerRequest.self, Kith_Host_V1_UpgradeWorkerRequest.self),
    Pair(UpgradeWorkerResponse.self, Kith_Host_V1_UpgradeWorkerResponse.self),
    Pair(UpgradeHostRequest.self, Kith_Host_V1_UpgradeHostRequest.self),
    Pair(UpgradeHostResponse.self, Kith_Host_V1_UpgradeHostResponse.self),
    Pair(HostContract.WorkerHealth.self, Kith_Host_V1_WorkerHealth.self),
    Pair(ShutdownRequest.self, Kith_Host_V1_ShutdownRequest.self),
    Pair(ShutdownResponse.self, Kith_Host_V1_ShutdownResponse.self),
    Pair(StartWorkerRequest.self, Kith_Host_V1_StartWorkerRequest.self),
    Pair(StartWorkerResponse.self, Kith_Host_V1_StartWorkerResponse.self),
    Pair(StopWorkerRequest.self, Kith_Host_V1_StopWorkerRequest.self),
    Pair(StopWorkerResponse.self, Kith_Host_V1_StopWorkerResponse.self),
    Pair(WorkerExit.self, Kith_Host_V1_WorkerExit.self),
    Pair(WorkerStatus.self, Kith_Host_V1_WorkerStatus.self),
    Pair(HostContract.WorkerRequest.self, Kith_Host_V1_WorkerRequest.self),
    Pair(RestartBudget.self, Kith_Host_V1_RestartBudget.self),

    Pair(LatencyBucket.self, Kith_Metrics_V1_LatencyBucket.self),
    Pair(LatencyHistogram.self, Kith_Metrics_V1_LatencyHistogram.self),
    Pair(MethodMetrics.self, Kith_Metrics_V1_MethodMetrics.self),
    Pair(ReadMetricsRequest.self, Kith_Metrics_V1_ReadMetricsRequest.self),
    Pair(ReadMetricsResponse.self, Kith_Metrics_V1_ReadMetricsResponse.self),

    Pair(CallCancel.self, Kith_Rpc_V1_CallCancel.self),
    Pair(RPCContract.CallExecution.self, Kith_Rpc_V1_CallExecution.self),
    Pair(CallStart.self, Kith_Rpc_V1_CallStart.self),
    Pair(CallStatus.self, Kith_Rpc_V1_CallStatus.self),
    Pair(CallerFrame.self, Kith_Rpc_V1_CallerFrame.self),
    Pair(RPCContract.ConnectionNotice.self, Kith_Rpc_V1_ConnectionNotice.self),
    Pair(RPCContract.Credit.self, Kith_Rpc_V1_Credit.self),
    Pair(FieldViolation.self, Kith_Rpc_V1_FieldViolation.self),
    Pair(MetadataEntry.self, Kith_Rpc_V1_MetadataEntry.self),
    Pair(StatusDetail.self, Kith_Rpc_V1_StatusDetail.self),
    Pair(WorkerFrame.self, Kith_Rpc_V1_WorkerFrame.self),

    Pair(Redaction.self, Kith_Pii_V1_Redaction.self),
    Pair(ScrubRequest.self, Kith_Pii_V1_ScrubRequest.self),
    Pair(ScrubResponse.self, Kith_Pii_V1_ScrubResponse.self),
    Pair(TypeCount.self, Kith_Pii_V1_TypeCount.self),

    Pair(DescribeRequest.self, Kith_Reflection_V1_DescribeRequest.self),
    Pair(DescribeResponse.self, Kith_Reflection_V1_DescribeResponse.self),

    Pair(CalendarProblem.self, Kith_Reminders_V1_CalendarProblem.self),
    Pair(CompleteOccurrenceRequest.self, Kith_Reminders_V1_CompleteOccurrenceRequest.self),
    Pair(ContactDue.self, Kith_Reminders_V1_ContactDue.self),
    Pair(CreateReminderRequest.self, Kith_Reminders_V1_CreateReminderRequest.self),
    Pair(DeleteReminderRequest.self, Kith_Reminders_V1_DeleteReminderRequest.self),
    Pair(DeleteReminderResponse.self, Kith_Reminders_V1_DeleteReminderResponse.self),
    Pair(ExportCalendarRequest.self, Kith_Reminders_V1_ExportCalendarRequest.self),
    Pair(ExportCalendarResponse.self, Kith_Reminders_V1_ExportCalendarResponse.self),
    Pair(GetPreferencesRequest.self, Kith_Reminders_V1_GetPreferencesRequest.self),
    Pair(GetReminderRequest.self, Kith_Reminders_V1_GetReminderRequest.self),
    Pair(GetWeeklyDigestRequest.self, Kith_Reminders_V1_GetWeeklyDigestRequest.self),
    Pair(GetWeeklyDigestResponse.self, Kith_Reminders_V1_GetWeeklyDigestResponse.self),
    Pair(ImportCalendarRequest.self, Kith_Reminders_V1_ImportCalendarRequest.self),
    Pair(ImportCalendarResponse.self, Kith_Reminders_V1_ImportCalendarResponse.self),
    Pair(Ladder.self, Kith_Reminders_V1_Ladder.self),
    Pair(ListHistoryRequest.self, Kith_Reminders_V1_ListHistoryRequest.self),
    Pair(ListHistoryResponse.self, Kith_Reminders_V1_ListHistoryResponse.self),
    Pair(ListRemindersRequest.self, Kith_Reminders_V1_ListRemindersRequest.self),
    Pair(ListRemindersResponse.self, Kith_Reminders_V1_ListRemindersResponse.self),
    Pair(ListUpcomingRequest.self, Kith_Reminders_V1_ListUpcomingRequest.self),
    Pair(ListUpcomingResponse.self, Kith_Reminders_V1_ListUpcomingResponse.self),
    Pair(Occurrence.self, Kith_Reminders_V1_Occurrence.self),
    Pair(OccurrencesSkipped.self, Kith_Reminders_V1_OccurrencesSkipped.self),
    Pair(Preferences.self, Kith_Reminders_V1_Preferences.self),
    Pair(Push.self, Kith_Reminders_V1_Push.self),
    Pair(QuietHours.self, Kith_Reminders_V1_QuietHours.self),
    Pair(ReadTimeRequest.self, Kith_Reminders_V1_ReadTimeRequest.self),
    Pair(ReadTimeResponse.self, Kith_Reminders_V1_ReadTimeResponse.self),
    Pair(Reminder.self, Kith_Reminders_V1_Reminder.self),
    Pair(ReminderDone.self, Kith_Reminders_V1_ReminderDone.self),
    Pair(ReminderMissed.self, Kith_Reminders_V1_ReminderMissed.self),
    Pair(ReminderSent.self, Kith_Reminders_V1_ReminderSent.self),
    Pair(ReminderSnoozed.self, Kith_Reminders_V1_ReminderSnoozed.self),
    Pair(Schedule.self, Kith_Reminders_V1_Schedule.self),
    Pair(SnoozeOccurrenceRequest.self, Kith_Reminders_V1_SnoozeOccurrenceRequest.self),
    Pair(TextSpan.self, Kith_Reminders_V1_TextSpan.self),
    Pair(UpcomingOccurrence.self, Kith_Reminders_V1_UpcomingOccurrence.self),
    Pair(UpdatePreferencesRequest.self, Kith_Reminders_V1_UpdatePreferencesRequest.self),
    Pair(UpdateReminderRequest.self, Kith_Reminders_V1_UpdateReminderRequest.self),

    Pair(Action.self, Kith_Risk_V1_Action.self),
    Pair(AnalyzeFeaturesResponse.self, Kith_Risk_V1_AnalyzeFeaturesResponse.self),
    Pair(AnalyzeRequest.self, Kith_Risk_V1_AnalyzeRequest.self),
    Pair(BuildFeaturesResponse.self, Kith_Risk_V1_BuildFeaturesResponse.self),
    Pair(Explanation.self, Kith_Risk_V1_Explanation.self),
    Pair(FeatureVector.self, Kith_Risk_V1_FeatureVector.self),
    Pair(GroupPoints.self, Kith_Risk_V1_GroupPoints.self),
    Pair(InspectLinkRequest.self, Kith_Risk_V1_InspectLinkRequest.self),
    Pair(LinkReport.self, Kith_Risk_V1_LinkReport.self),
    Pair(ListRulesRequest.self, Kith_Risk_V1_ListRulesRequest.self),
    Pair(ListRulesResponse.self, Kith_Risk_V1_ListRulesResponse.self),
    Pair(ModelPart.self, Kith_Risk_V1_ModelPart.self),
    Pair(Rule.self, Kith_Risk_V1_Rule.self),
    Pair(SignalPoints.self, Kith_Risk_V1_SignalPoints.self),
    Pair(TokenWeight.self, Kith_Risk_V1_TokenWeight.self),
    Pair(AnalyzeResponse.self, Kith_Risk_V1_AnalyzeResponse.self),
    Pair(Contact.self, Kith_Risk_V1_Contact.self),
    Pair(GetModelRequest.self, Kith_Risk_V1_GetModelRequest.self),
    Pair(GetModelResponse.self, Kith_Risk_V1_GetModelResponse.self),
    Pair(Reason.self, Kith_Risk_V1_Reason.self),
    Pair(Span.self, Kith_Risk_V1_Span.self),

    Pair(AppendRequest.self, Kith_Testing_V1_AppendRequest.self),
    Pair(AppendResponse.self, Kith_Testing_V1_AppendResponse.self),
    Pair(Everything.self, Kith_Testing_V1_Everything.self),
    Pair(Everything.Awkward.self, Kith_Testing_V1_Everything.Awkward.self),
    Pair(CountRequest.self, Kith_Testing_V1_CountRequest.self),
    Pair(Leaf.self, Kith_Testing_V1_Leaf.self),
    Pair(Nothing.self, Kith_Testing_V1_Nothing.self),
    Pair(Numbered.self, Kith_Testing_V1_Numbered.self),
    Pair(SumResponse.self, Kith_Testing_V1_SumResponse.self),
    Pair(Tree.self, Kith_Testing_V1_Tree.self),

    Pair(ConfigureRequest.self, Kith_Worker_V1_ConfigureRequest.self),
    Pair(ConfigureResponse.self, Kith_Worker_V1_ConfigureResponse.self),
    Pair(DrainRequest.self, Kith_Worker_V1_DrainRequest.self),
    Pair(DrainResponse.self, Kith_Worker_V1_DrainResponse.self),
    Pair(HandshakeRequest.self, Kith_Worker_V1_HandshakeRequest.self),
    Pair(HandshakeResponse.self, Kith_Worker_V1_HandshakeResponse.self),
    Pair(VirtualTime.self, Kith_Worker_V1_VirtualTime.self),
    Pair(ConsumerStanding.self, Kith_Worker_V1_ConsumerStanding.self),
    Pair(LogEnd.self, Kith_Worker_V1_LogEnd.self),
    Pair(WorkerContract.MoveClockRequest.self, Kith_Worker_V1_MoveClockRequest.self),
    Pair(WorkerContract.MoveClockResponse.self, Kith_Worker_V1_MoveClockResponse.self),
    Pair(LaunchRecord.self, Kith_Worker_V1_LaunchRecord.self),
    Pair(StoreOrders.self, Kith_Worker_V1_StoreOrders.self),
    Pair(NetworkListener.self, Kith_Worker_V1_NetworkListener.self),
    Pair(ProcessIdentity.self, Kith_Worker_V1_ProcessIdentity.self),
    Pair(SetLogLevelRequest.self, Kith_Worker_V1_SetLogLevelRequest.self),
    Pair(SetLogLevelResponse.self, Kith_Worker_V1_SetLogLevelResponse.self),
    Pair(SealingKey.self, Kith_Worker_V1_SealingKey.self),
    Pair(TakeKeysRequest.self, Kith_Worker_V1_TakeKeysRequest.self),
    Pair(TakeKeysResponse.self, Kith_Worker_V1_TakeKeysResponse.self),
    Pair(ServiceContract.self, Kith_Worker_V1_ServiceContract.self),
    Pair(StartRequest.self, Kith_Worker_V1_StartRequest.self),
    Pair(StartResponse.self, Kith_Worker_V1_StartResponse.self),
  ]
}
