//! A Messages API on loopback: answers from a script and keeps every request.
//! Border: as much of HTTP as the client speaks; the wording of answers is the tests'.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// What the model does next.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Calls a tool.
    Tool(&'static str, Value),
    /// Says something, and ends the turn.
    Say(&'static str),
}

/// The server; it ends with the test's process.
pub(crate) struct Api {
    pub(crate) url: String,
    script: Arc<Mutex<Vec<Step>>>,
    requests: Arc<Mutex<Vec<Value>>>,
}

impl Api {
    /// Listens on a port of its own.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (script, requests) =
            (Arc::<Mutex<Vec<Step>>>::default(), Arc::<Mutex<Vec<Value>>>::default());
        let shared = (Arc::clone(&script), Arc::clone(&requests));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (script, requests) = (Arc::clone(&shared.0), Arc::clone(&shared.1));
                // A client that goes away in the middle is no fault of the test's.
                std::thread::spawn(move || serve(stream, &script, &requests).ok());
            }
        });
        Self { url, script, requests }
    }

    /// What the model will do in the next session.
    pub(crate) fn script(&self, steps: &[Step]) {
        *self.script.lock().unwrap() = steps.to_vec();
        self.requests.lock().unwrap().clear();
    }

    /// The requests of the session in order, those beside it left out.
    pub(crate) fn requests(&self) -> Vec<Value> {
        self.requests.lock().unwrap().clone()
    }
}

fn serve(
    stream: TcpStream,
    script: &Mutex<Vec<Step>>,
    requests: &Mutex<Vec<Value>>,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut stream = stream;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let path = line.split_whitespace().nth(1).unwrap_or_default().to_owned();
        let body = body(&mut reader)?;
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        match path.split('?').next().unwrap_or_default() {
            "/v1/messages" if is_beside(&body) => answer(&mut stream, &body, &Step::Say("{}"))?,
            "/v1/messages" => {
                let step = next_step(&script.lock().unwrap(), &body);
                requests.lock().unwrap().push(body.clone());
                answer(&mut stream, &body, &step)?;
            }
            "/v1/responses" => {
                let step = next_step_of_responses(&script.lock().unwrap(), &body);
                requests.lock().unwrap().push(body.clone());
                // The stream ends with the connection.
                return answer_as_response(&mut stream, &step);
            }
            "/v1/messages/count_tokens" => {
                whole(&mut stream, "200 OK", &json!({ "input_tokens": 1_000 }))?;
            }
            _ => whole(&mut stream, "404 Not Found", &json!({}))?,
        }
    }
}

/// A request that offers no tool, or wants JSON, is not the conversation.
fn is_beside(body: &Value) -> bool {
    let has_tools = body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    !has_tools || !body["output_config"]["format"].is_null() || !body["output_format"].is_null()
}

/// The step is how often the model has answered since a person last spoke.
fn next_step(script: &[Step], body: &Value) -> Step {
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_of_a_person = |message: &Value| {
        let is_result = |part: &Value| part["type"] == "tool_result";
        let parts = message["content"].as_array();
        message["role"] == "user" && !parts.is_some_and(|parts| parts.iter().any(is_result))
    };
    let from = messages.iter().rposition(is_of_a_person).unwrap_or(0);
    let done = messages[from..].iter().filter(|message| message["role"] == "assistant").count();
    script.get(done).cloned().unwrap_or(Step::Say("OK"))
}

fn body(reader: &mut BufReader<TcpStream>) -> std::io::Result<Vec<u8>> {
    let (mut length, mut is_chunked) = (0, false);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        is_chunked |= line.starts_with("transfer-encoding:") && line.contains("chunked");
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    if !is_chunked {
        return Ok(body);
    }
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let size = usize::from_str_radix(line.trim(), 16).unwrap_or(0);
        let mut chunk = vec![0; size + 2];
        reader.read_exact(&mut chunk)?;
        if size == 0 {
            return Ok(body);
        }
        body.extend_from_slice(&chunk[..size]);
    }
}

fn whole(stream: &mut TcpStream, status: &str, value: &Value) -> std::io::Result<()> {
    let text = value.to_string();
    write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{text}",
        text.len()
    )
}

/// One answer of the model, as a stream where one is asked for.
fn answer(stream: &mut TcpStream, body: &Value, step: &Step) -> std::io::Result<()> {
    static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let n = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let (block, delta, stop) = match step {
        Step::Say(text) => (
            json!({ "type": "text", "text": "" }),
            json!({ "type": "text_delta", "text": text }),
            "end_turn",
        ),
        Step::Tool(name, input) => (
            json!({ "type": "tool_use", "id": format!("toolu_{n:024}"), "name": name, "input": {} }),
            json!({ "type": "input_json_delta", "partial_json": input.to_string() }),
            "tool_use",
        ),
    };
    let usage = json!({ "input_tokens": 1_000, "output_tokens": 10 });
    let mut message = json!({
        "id": format!("msg_{n:024}"), "type": "message", "role": "assistant", "model": body["model"],
        "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage,
    });
    if body["stream"] != true {
        let mut block = block;
        match step {
            Step::Say(text) => block["text"] = json!(text),
            Step::Tool(_, input) => block["input"] = input.clone(),
        }
        message["content"] = json!([block]);
        message["stop_reason"] = json!(stop);
        return whole(stream, "200 OK", &message);
    }
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    )?;
    for event in [
        json!({ "type": "message_start", "message": message }),
        json!({ "type": "content_block_start", "index": 0, "content_block": block }),
        json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": stop, "stop_sequence": null }, "usage": { "output_tokens": 10 } }),
        json!({ "type": "message_stop" }),
    ] {
        let name = event["type"].as_str().unwrap_or_default();
        let text = format!("event: {name}\ndata: {event}\n\n");
        write!(stream, "{:x}\r\n{text}\r\n", text.len())?;
    }
    write!(stream, "0\r\n\r\n")
}

/// The step is how many tools have answered.
fn next_step_of_responses(script: &[Step], body: &Value) -> Step {
    let items = body["input"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_answer =
        |item: &&Value| item["type"].as_str().is_some_and(|kind| kind.ends_with("call_output"));
    script.get(items.iter().filter(is_answer).count()).cloned().unwrap_or(Step::Say("OK"))
}

/// One answer of the Responses API, as a stream.
fn answer_as_response(stream: &mut TcpStream, step: &Step) -> std::io::Result<()> {
    static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let n = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let item = match step {
        Step::Say(text) => json!({
            "type": "message", "id": format!("msg_{n}"), "role": "assistant",
            "content": [{ "type": "output_text", "text": text, "annotations": [] }],
        }),
        Step::Tool(name, input) => json!({
            "type": "function_call", "id": format!("fc_{n}"), "call_id": format!("call_{n}"),
            "name": name, "arguments": input.to_string(),
        }),
    };
    let usage = json!({
        "input_tokens": 10, "input_tokens_details": { "cached_tokens": 0 }, "output_tokens": 5,
        "output_tokens_details": { "reasoning_tokens": 0 }, "total_tokens": 15,
    });
    let id = format!("resp_{n}");
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
    )?;
    for event in [
        json!({ "type": "response.created", "response": { "id": id, "status": "in_progress" } }),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": item.clone() }),
        json!({ "type": "response.completed", "response": {
            "id": id, "status": "completed", "output": [item], "usage": usage } }),
    ] {
        write!(stream, "event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default())?;
    }
    Ok(())
}
