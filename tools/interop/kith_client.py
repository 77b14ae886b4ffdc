#!/usr/bin/env python3
"""Calls a method of a Kith worker from Python: pynng, protobuf and proto/PROTOCOL.md, nothing of Kith's.

    kith_client.py ADDRESS SERVICE/METHOD JSON
    kith_client.py ipc:///tmp/b/run/risk-engine.1.sock kith.risk.v1.RiskEngine/Analyze '{"text": "Pay in gift cards"}'

Prints the answer as JSON and exits 0, or the status on standard error and exits 1. Needs protoc on the PATH.
"""
import pathlib
import subprocess
import sys

import pynng
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

PROTO = pathlib.Path(__file__).resolve().parents[2] / "proto"


def contracts():
    """All contracts of the project, compiled as they stand."""
    files = sorted(str(path.relative_to(PROTO)) for path in PROTO.glob("kith/**/*.proto"))
    command = ["protoc", f"-I{PROTO}", "--include_imports", "--descriptor_set_out=/dev/stdout", *files]
    pool = descriptor_pool.DescriptorPool()
    output = subprocess.run(command, check=True, capture_output=True).stdout
    for file in descriptor_pb2.FileDescriptorSet.FromString(output).file:
        pool.Add(file)
    return pool


def call(address, method, request_json, timeout_ms=10_000):
    """Makes one unary call; returns the status and the answer, which is None unless the status is OK."""
    pool = contracts()
    message_class = message_factory.GetMessageClass
    description = pool.FindServiceByName(method.split("/")[0]).FindMethodByName(method.split("/")[1])
    frame = message_class(pool.FindMessageTypeByName("kith.rpc.v1.CallerFrame"))()
    frame.start.method = method
    frame.start.timeout_us = timeout_ms * 1000
    frame.message = json_format.Parse(
        request_json, message_class(description.input_type)(), descriptor_pool=pool).SerializeToString()
    # No resending: a request that was sent twice may be carried out twice.
    with pynng.Req0(dial=address, resend_time=-1, recv_timeout=timeout_ms, send_timeout=timeout_ms) as socket:
        socket.send(frame.SerializeToString())
        answer = message_class(pool.FindMessageTypeByName("kith.rpc.v1.WorkerFrame")).FromString(socket.recv())
    if answer.status.code != 0:
        return answer.status, None
    return answer.status, message_class(description.output_type).FromString(answer.message)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    status, message = call(*sys.argv[1:])
    if message is None:
        sys.exit(f"{status.code}: {status.message}")
    print(json_format.MessageToJson(message, preserving_proto_field_name=True))
