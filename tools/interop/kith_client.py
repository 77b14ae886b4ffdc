#!/usr/bin/env python3
"""Calls a method of a Kith worker from Python: pynng, protobuf and proto/PROTOCOL.md, nothing of Kith's.

    kith_client.py ADDRESS SERVICE/METHOD JSON
    kith_client.py ipc:///tmp/b/run/risk-engine.1/sock kith.risk.v1.RiskEngine/Analyze '{"text": "Pay in gift cards"}'

Prints the answer as JSON, or each answer of a stream on a line, and exits 0; or the status on standard error and exits 1.
Needs protoc on the PATH.
"""
import pathlib
import socket
import struct
import subprocess
import sys

import pynng
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

PROTO = pathlib.Path(__file__).resolve().parents[2] / "proto"
TIMEOUT_MS = 10_000


def contracts():
    """All contracts of the project, compiled as they stand."""
    files = sorted(str(path.relative_to(PROTO)) for path in PROTO.glob("kith/**/*.proto"))
    command = ["protoc", f"-I{PROTO}", "--include_imports", "--descriptor_set_out=/dev/stdout", *files]
    pool = descriptor_pool.DescriptorPool()
    output = subprocess.run(command, check=True, capture_output=True).stdout
    for file in descriptor_pb2.FileDescriptorSet.FromString(output).file:
        pool.Add(file)
    return pool


def unary(address, frame):
    """One request, one answer: an nng REQ socket does it all. The encoded WorkerFrame."""
    # No resending: a request that was sent twice may be carried out twice.
    with pynng.Req0(dial=address, resend_time=-1, recv_timeout=TIMEOUT_MS, send_timeout=TIMEOUT_MS) as req:
        req.send(frame)
        yield req.recv()


def stream(address, frame):
    """One request, many answers: a REQ socket would stop at the first, so the bytes are sent and read here."""
    with socket.socket(socket.AF_UNIX) as pipe:
        pipe.settimeout(TIMEOUT_MS / 1000)
        pipe.connect(address.removeprefix("ipc://"))
        reader = pipe.makefile("rb")
        body = struct.pack(">I", 0x80000001) + frame
        pipe.sendall(b"\0SP\0\0\x30\0\0" + b"\1" + struct.pack(">Q", len(body)) + body)
        assert reader.read(8) == b"\0SP\0\0\x31\0\0", "this is no Kith worker"
        while True:
            kind, length = struct.unpack(">BQ", reader.read(9))
            assert kind == 1, "the worker broke the protocol"
            yield reader.read(length)[4:]


def call(address, method, request_json):
    """Calls a method that takes one request; yields its answers, and raises RuntimeError with the status if it is not OK."""
    pool = contracts()
    message_class = message_factory.GetMessageClass
    description = pool.FindServiceByName(method.split("/")[0]).FindMethodByName(method.split("/")[1])
    frame = message_class(pool.FindMessageTypeByName("kith.rpc.v1.CallerFrame"))()
    frame.start.method = method
    frame.start.timeout_us = TIMEOUT_MS * 1000
    frame.message = json_format.Parse(
        request_json, message_class(description.input_type)(), descriptor_pool=pool).SerializeToString()
    answer_class = message_class(pool.FindMessageTypeByName("kith.rpc.v1.WorkerFrame"))
    exchange = stream if description.server_streaming else unary
    for answer in map(answer_class.FromString, exchange(address, frame.SerializeToString())):
        if answer.HasField("message"):
            yield message_class(description.output_type).FromString(answer.message)
        if answer.HasField("status"):
            if answer.status.code != 0:
                raise RuntimeError(f"{answer.status.code}: {answer.status.message}")
            return


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    try:
        for message in call(*sys.argv[1:]):
            print(json_format.MessageToJson(message, preserving_proto_field_name=True, indent=None))
    except RuntimeError as error:
        sys.exit(str(error))
