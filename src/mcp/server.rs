//! The server: takes requests, lets a call do the work on a thread of its own, answers.
//! Border: the protocol. stdout belongs to it alone.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, PromptMessage, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, ResourceContents, ResourceUpdatedNotificationParam, Role,
    ServerCapabilities, ServerConfig, SubscribeRequestParams, SubscriptionFilter,
    UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler, ServiceExt as _};
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::changes::{PAUSE, Watched};
use super::desk::{Call, Desk};
use super::lines::BoundedLines;
use super::{prompts, resources, tools};
use crate::context::block::joined;
use crate::context::session::{Layers, blocks};
use crate::report::advice::{Advice, Advised, Exit};

/// What is begun when a client leaves may end within this time.
const LAST_WORDS: Duration = Duration::from_secs(60);

/// Why the server ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum McpError {
    /// It cannot run.
    #[error("the server cannot start")]
    Start(#[source] std::io::Error),
    /// The client does not speak the protocol.
    #[error("the client does not speak the protocol: {0}")]
    Protocol(String),
}

impl Advised for McpError {
    fn advice(&self) -> Advice {
        let next_step = match self {
            Self::Start(_) => "Close other programs, then start it again.",
            Self::Protocol(_) => {
                "Let a client start it: `memsync mcp` is its command, without arguments. Claude Code: `claude mcp add memsync -- memsync mcp`."
            }
        };
        Advice { exit: Exit::Usage, next_step: next_step.to_owned() }
    }
}

/// Serves on stdin and stdout until the client leaves.
///
/// # Errors
/// A client that does not speak the protocol.
pub fn serve(desk: Arc<dyn Desk>) -> Result<(), McpError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(McpError::Start)?;
    let ended = runtime.block_on(async {
        let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
        let server = Server { desk, folder: Arc::default(), watched: Watched::default() };
        let service = match server.serve((BoundedLines::new(input), output)).await {
            Ok(service) => service,
            // A client that leaves before it said anything is no fault.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(McpError::Protocol(error.to_string())),
        };
        service.waiting().await.map_err(|error| McpError::Protocol(error.to_string()))?;
        Ok(())
    });
    runtime.shutdown_timeout(LAST_WORDS);
    ended
}

#[derive(Clone)]
struct Server {
    desk: Arc<dyn Desk>,
    /// The client's first root, where it has told any.
    folder: Arc<std::sync::Mutex<Option<PathBuf>>>,
    watched: Watched,
}

impl Server {
    fn folder(&self) -> Option<PathBuf> {
        self.folder.lock().ok().and_then(|folder| folder.clone())
    }

    /// Does work that blocks on a thread of its own.
    async fn work<T: Send + 'static>(
        &self,
        client: Option<String>,
        progress: Option<UnboundedSender<String>>,
        work: impl FnOnce(&Call<'_>) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let (desk, folder) = (Arc::clone(&self.desk), self.folder());
        let done = tokio::task::spawn_blocking(move || {
            let progress = move |stage: String| {
                if let Some(sender) = &progress {
                    sender.send(stage).ok();
                }
            };
            work(&Call { desk: &*desk, folder, client, progress: &progress })
        });
        done.await.map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    /// Runs a tool; a client that cancels is not kept waiting, and what was begun is completed.
    async fn run(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let name = request.name.to_string();
        if !tools::is_known(&name) {
            return Err(ErrorData::invalid_params(format!("there is no tool `{name}`"), None));
        }
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let client = context.client_info().map(|client| client.name);
        let (sender, mut stages) = unbounded_channel();
        let token = context.meta.get_progress_token();
        let work = self.work(client, token.is_some().then_some(sender), move |call| {
            tools::call(&name, arguments, call)
        });
        tokio::pin!(work);
        let mut step = 0.0;
        loop {
            tokio::select! {
                done = &mut work => return Ok(match done? {
                    Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
                    Err(text) => CallToolResult::error(vec![ContentBlock::text(text)]),
                }),
                Some(stage) = stages.recv() => {
                    let Some(token) = token.clone() else { continue };
                    step += 1.0;
                    let progress = ProgressNotificationParam::new(token, step).with_message(stage);
                    context.peer.notify_progress(progress).await.ok();
                }
                () = context.ct.cancelled() => {
                    return Err(ErrorData::internal_error("cancelled; what was begun is completed", None));
                }
            }
        }
    }

    /// A client's first root is the project it works in.
    #[expect(deprecated, reason = "clients of earlier revisions tell their folders so")]
    async fn take_roots(&self, context: &NotificationContext<RoleServer>) {
        let has_roots =
            context.peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some());
        if !has_roots {
            return;
        }
        let Ok(roots) = context.peer.list_roots().await else { return };
        let first = roots.roots.iter().find_map(|root| root.uri.strip_prefix("file://"));
        let first = first.map(percent_decoded).map(PathBuf::from);
        if let Ok(mut folder) = self.folder.lock() {
            *folder = first.filter(|folder| folder.is_dir());
        }
    }

    /// Tells of changed resources until the client leaves.
    async fn tell(self, peer: rmcp::Peer<RoleServer>) {
        loop {
            tokio::time::sleep(PAUSE).await;
            let watched = self.watched.clone();
            let changed =
                self.work(None, None, move |call| watched.changed(|uri| call.stamp(uri))).await;
            for uri in changed.unwrap_or_default() {
                if peer
                    .notify_resource_updated(ResourceUpdatedNotificationParam::new(uri))
                    .await
                    .is_err()
                {
                    return;
                }
            }
        }
    }
}

/// A path of a `file://` address.
fn percent_decoded(path: &str) -> String {
    percent_encoding::percent_decode_str(path).decode_utf8_lossy().into_owned()
}

fn failed(text: String) -> ErrorData {
    ErrorData::internal_error(text, None)
}

/// Where a page of a list begins.
fn offset(request: Option<&PaginatedRequestParams>) -> Result<usize, ErrorData> {
    let Some(cursor) = request.and_then(|request| request.cursor.as_ref()) else { return Ok(0) };
    cursor.parse().map_err(|_| ErrorData::invalid_params("no such cursor", None))
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_prompts()
            .build();
        let layers = Layers { private_index: None, team_index: None, has_team: true };
        let mut config =
            ServerConfig::new(capabilities).with_instructions(joined(&blocks(&layers)));
        config.server_info =
            Implementation::new("memsync", env!("CARGO_PKG_VERSION")).with_title("memsync");
        config
    }

    /// A client's first root is the project it works in.
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.take_roots(&context).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.take_roots(&context).await;
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::list()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(self.run(request, context).await?.into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let from = offset(request.as_ref())?;
        let (resources, next) =
            self.work(None, None, move |call| call.resources(from)).await?.map_err(failed)?;
        let mut result = ListResourcesResult::with_all_items(resources);
        result.next_cursor = next.map(|next| next.to_string());
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.clone();
        let text = self.work(None, None, move |call| call.resource(&uri)).await?.map_err(failed)?;
        let Some(text) = text else {
            let text = format!("there is no resource `{}`", request.uri);
            return Err(ErrorData::resource_not_found(text, None));
        };
        let contents = ResourceContents::TextResourceContents {
            uri: request.uri,
            mime_type: Some(resources::MARKDOWN.to_owned()),
            text,
            meta: None,
        };
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let uri = request.uri.clone();
        let stamp = self.work(None, None, move |call| call.stamp(&uri)).await?;
        let is_first = self.watched.is_empty();
        if !self.watched.add(&request.uri, stamp) {
            return Err(ErrorData::invalid_params("too many subscriptions", None));
        }
        if is_first {
            tokio::spawn(self.clone().tell(context.peer));
        }
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.watched.remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let uris = requested.resource_subscriptions.clone()?;
        Some(SubscriptionFilter::builder().resource_subscriptions(uris).build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let watched = Watched::default();
        let uris = context.accepted().resource_subscriptions.clone().unwrap_or_default();
        let own = watched.clone();
        self.work(None, None, move |call| {
            for uri in uris {
                own.add(&uri, call.stamp(&uri));
            }
        })
        .await?;
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                () = tokio::time::sleep(PAUSE) => {
                    let own = watched.clone();
                    let changed = self.work(None, None, move |call| own.changed(|uri| call.stamp(uri))).await?;
                    for uri in changed {
                        if context.sink().notify_resource_updated(uri).await.is_err() {
                            return Ok(());
                        }
                    }
                }
            }
        }
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let mut given = request.arguments.unwrap_or_default().into_iter();
        let argument = given.next().and_then(|(_, value)| value.as_str().map(str::to_owned));
        let (name, argument) = (request.name.clone(), argument.unwrap_or_default());
        let text = self.work(None, None, move |call| prompts::text(&name, &argument, call)).await?;
        let Some(text) = text else {
            let text = format!("there is no prompt `{}`", request.name);
            return Err(ErrorData::invalid_params(text, None));
        };
        let text = text.map_err(|text| ErrorData::invalid_params(text, None))?;
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).into())
    }
}
