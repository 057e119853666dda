"""Receives webhooks, loses no event and stores none twice: WEBHOOK_SECRET=whsec_... python3 receiver.py

It writes each event to a file before it answers; process the events from there. Python 3.8 or newer, no dependencies.
"""
import json
import os
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from verify import verify

SECRET = os.environ["WEBHOOK_SECRET"]
LARGEST_BODY = 4 * 1024 * 1024

inbox = open(os.environ.get("INBOX", "inbox.ndjson"), "a+b")
inbox.seek(0)
*lines, torn = inbox.read().split(b"\n")
# A crash can leave an incomplete last line. Its request was never answered, so the event is sent again.
inbox.truncate(inbox.tell() - len(torn))
stored = {json.loads(line)["id"] for line in lines}
# Writes one event at a time, so that lines never mix.
lock = threading.Lock()


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 15

    def do_POST(self):
        length = self.headers.get("content-length", "0")
        # Without a valid length, the end of the body is not known.
        if not re.fullmatch("[0-9]{1,9}", length) or int(length) > LARGEST_BODY:
            self.close_connection = True
            return self.answer(413)
        body = self.rfile.read(int(length))
        try:
            verify(SECRET, self.headers, body)
        except ValueError as error:
            return self.answer(401, str(error))
        with lock:
            if self.headers["webhook-id"] not in stored:
                try:
                    inbox.write(body + b"\n")
                    inbox.flush()
                    os.fsync(inbox.fileno())
                except OSError:
                    # A part of the line may be written: the next start removes it.
                    os._exit(1)
                stored.add(self.headers["webhook-id"])
        self.answer(204)

    def answer(self, status, text=""):
        self.send_response(status)
        if status != 204:
            self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("", int(os.environ.get("PORT", "4000"))), Receiver).serve_forever()
