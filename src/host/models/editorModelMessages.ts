import * as vscode from 'vscode';
import type {
  ModelRequest,
  WireAssistantContent,
  WireMessage,
  WireTool,
  WireUserContent,
} from '../../models/chatModel';

/** Converts a request to the editor's own types. Sends the system text first, as a User message: the system role of
 *  `vscode.lm` is still a proposed API. */
export function editorMessages(request: ModelRequest): vscode.LanguageModelChatMessage[] {
  const system = request.system === '' ? [] : [vscode.LanguageModelChatMessage.User(request.system)];
  return [...system, ...request.messages.map(editorMessage)];
}

export function editorTools(tools: readonly WireTool[]): vscode.LanguageModelChatTool[] {
  return tools.map(({ name, description, parameters }) => ({ name, description, inputSchema: parameters }));
}

function editorMessage(message: WireMessage): vscode.LanguageModelChatMessage {
  switch (message.role) {
    case 'user':
      return vscode.LanguageModelChatMessage.User(message.content.map(userPart));
    case 'assistant':
      return vscode.LanguageModelChatMessage.Assistant(message.content.flatMap(assistantPart));
    case 'tool':
      return vscode.LanguageModelChatMessage.User(
        message.results.map(
          ({ callId, text, images = [] }) =>
            new vscode.LanguageModelToolResultPart(callId, [
              new vscode.LanguageModelTextPart(text),
              ...images.map(userPart),
            ]),
        ),
      );
  }
}

function userPart(content: WireUserContent): vscode.LanguageModelTextPart | vscode.LanguageModelDataPart {
  return content.kind === 'text'
    ? new vscode.LanguageModelTextPart(content.text)
    : vscode.LanguageModelDataPart.image(Buffer.from(content.dataBase64, 'base64'), content.mediaType);
}

/** Leaves out thinking: the stable API has no part for it, and providers accept none back without their own
 *  metadata. */
function assistantPart(
  content: WireAssistantContent,
): (vscode.LanguageModelTextPart | vscode.LanguageModelToolCallPart)[] {
  switch (content.kind) {
    case 'text':
      return [new vscode.LanguageModelTextPart(content.text)];
    case 'toolCall':
      return [new vscode.LanguageModelToolCallPart(content.callId, content.name, { ...content.arguments })];
    case 'thinking':
      return [];
  }
}
