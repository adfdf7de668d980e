//! `memsync mcp` as clients speak to it: JSON lines on stdin and stdout.
//! Border: the built program; the official clients are in `official`.

mod protocol;
mod tools;
mod official;

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::Member;

/// Long enough for any machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server with a client that is this test.
struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<Value>,
    last: u64,
    /// What came that was no answer.
    notices: Vec<Value>,
}

impl Server {
    /// Starts it, and says hello in a revision.
    fn hello(member: &Member, revision: &str) -> Self {
        let mut server = Self::start(member);
        let answer = server.initialize(revision, json!({}));
        assert_eq!(answer["result"]["protocolVersion"], revision, "{answer}");
        server
    }

    /// Starts it.
    fn start(member: &Member) -> Self {
        let mut command = member.program();
        command.arg("mcp");
        Self::start_command(command)
    }

    fn start_command(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (sender, output) = channel();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                // Nothing but the protocol is on stdout.
                let value = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line:?}"));
                if sender.send(value).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        Self { child, input, output, last: 0, notices: Vec::new() }
    }

    fn initialize(&mut self, revision: &str, capabilities: Value) -> Value {
        let client = json!({ "name": "test-client", "version": "1" });
        let hello = json!({
            "protocolVersion": revision, "capabilities": capabilities, "clientInfo": client,
        });
        let answer = self.ask("initialize", hello);
        self.tell("notifications/initialized", json!({}));
        answer
    }

    fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        // A server that has ended closes the pipe.
        drop(input.write_all(bytes).and_then(|()| input.flush()));
    }

    fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and waits for its answer.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.answer(id)
    }

    fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let id = self.last;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    fn answer(&mut self, id: u64) -> Value {
        loop {
            let value = self.output.recv_timeout(PATIENCE).expect("an answer");
            if value["id"] == id && value.get("method").is_none() {
                return value;
            }
            self.notices.push(value);
        }
    }

    /// Waits for something that is no answer.
    fn notice(&mut self, method: &str) -> Value {
        if let Some(at) = self.notices.iter().position(|one| one["method"] == method) {
            return self.notices.remove(at);
        }
        loop {
            let value = self.output.recv_timeout(PATIENCE).expect("a notice");
            if value["method"] == method {
                return value;
            }
            self.notices.push(value);
        }
    }

    /// Calls a tool; gives whether it failed, and what it said.
    fn call(&mut self, tool: &str, arguments: Value) -> (bool, String) {
        let answer = self.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        let result = &answer["result"];
        assert!(result.get("structuredContent").is_none(), "a model would see nothing else");
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
        (result["isError"] == true, text.to_owned())
    }

    /// The same, which must be well.
    fn done(&mut self, tool: &str, arguments: Value) -> String {
        let (is_error, text) = self.call(tool, arguments);
        assert!(!is_error, "{tool}: {text}");
        text
    }

    /// The same, which must fail.
    fn fails(&mut self, tool: &str, arguments: Value) -> String {
        let (is_error, text) = self.call(tool, arguments);
        assert!(is_error, "{tool}: {text}");
        text
    }

    /// The client leaves; the server ends by itself, well.
    fn leave(mut self) {
        drop(self.input.take());
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
