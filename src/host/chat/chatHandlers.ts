import type * as v from 'valibot';
import { joinSentences } from '../../base/messageText';
import type { Gateway, GatewayPart } from '../../gateway/conversationGateway';
import { GatewayError, type SubmitReceipt, type SwitchTarget } from '../../gateway/gateway';
import type { attachmentRequests, AttachmentResults } from '../../protocol/attachmentProtocol';
import type {
  AskedAgain,
  chatCommands,
  chatRequests,
  ChatResults,
  CompressionOutcome,
  ViewSwitch,
} from '../../protocol/chatProtocol';
import type {
  composerRequests,
  ComposerResults,
  EarlierPrompt,
  PromptHistoryPage,
} from '../../protocol/composerProtocol';
import type { SessionStore } from '../../store/session/sessionStore';
import { allowRuleProblem } from '../../tools/approval/ruleText';
import type { ApprovalDecision } from '../../transcript/approval';
import type { ContextFiles } from '../../transcript/contextFiles';
import type { DraftOnItsWay, DraftPart, SentPart } from '../../transcript/draftPart';
import { answerText, type Message } from '../../transcript/message';
import { isWritten, mentionsAgain } from '../../transcript/promptHistory';
import { refuseOutdatedApproval, PageConsent } from '../approvals/pageConsent';
import type { AttachmentService } from '../attachments/attachmentService';
import type { Slot } from '../common/slot';
import type { SyncView } from '../common/syncView';
import type { ChatModels } from '../models/modelService';
import type { EditorActions } from '../navigation/editorActions';
import type { StoreStatus } from '../storage/storeStatus';
import type { TerminalFeature } from '../terminal/terminalFeature';
import type { ChatFiles } from '../webviews/chatFiles';
import { codeHandlers } from '../webviews/codeHandlers';
import type { CommandHandlers, RequestHandlers } from '../webviews/viewEndpoint';
import type { ChatSurface } from './chatSurface';
import type { ViewReports } from './deliveryReports';
import { feedHandlers } from './find/feedHandlers';

/** Rows read at once. */
const pageSize = 200;
/** Reading for one response stops once it has this many prompts, or after this many pages. */
const enough = 30;
const mostPages = 10;

/** Prompts of a session's conversation before a position, newest first. A long range without prompts ends a
 *  response early; the next request continues at `before`. */
export async function promptHistory(
  gateway: GatewayPart<'store', 'readTranscript'>,
  sessionId: string,
  before: number | null,
): Promise<PromptHistoryPage> {
  const prompts: EarlierPrompt[] = [];
  let place = before;
  for (let pages = 0; pages < mostPages && prompts.length < enough; pages++) {
    const { messages, hasEarlier } = await gateway.store.readTranscript({
      sessionId,
      limit: pageSize,
      ...(place === null ? {} : { before: place }),
    });
    prompts.push(...messages.filter(isWritten).toReversed().map(asWritten));
    const first = messages[0]?.position;
    if (!hasEarlier || first === undefined) return { prompts, before: null };
    place = first;
  }
  return { prompts, before: place };
}

function asWritten({ uid, parts }: Message): EarlierPrompt {
  return { uid, text: answerText(parts), mentions: mentionsAgain(parts) };
}

interface ComposerHandlerDeps {
  readonly gateway: GatewayPart<'efforts', 'setEffort'> &
    GatewayPart<'customAgents', 'choose'> &
    GatewayPart<'store', 'readTranscript'>;
  readonly store: Pick<StoreStatus, 'settled'>;
}

/** Handles the requests of a composer. The gateway emits no event for what applies to new sessions. */
function composerHandlers(
  { gateway, store }: ComposerHandlerDeps,
  page: Pick<ChatSurface, 'id' | 'effortChanged' | 'agentChanged'>,
): RequestHandlers<typeof composerRequests, ComposerResults> {
  return {
    setEffort: async ({ sessionId, effort }) => {
      await store.settled();
      await gateway.efforts.setEffort(page.id, sessionId, effort);
      if (sessionId === null) await page.effortChanged();
      return null;
    },
    setAgent: async ({ sessionId, agent }) => {
      await store.settled();
      await gateway.customAgents.choose(page.id, sessionId, agent);
      if (sessionId === null) await page.agentChanged();
      return null;
    },
    promptHistory: ({ sessionId, before }) => promptHistory(gateway, sessionId, before),
  };
}

/** Editor functions that a chat view uses. */
export type ChatEditor = Pick<EditorActions, keyof EditorActions>;

export interface ChatHandlerDeps {
  readonly gateway: Gateway;
  readonly sessions: Pick<SessionStore, 'getMessage' | 'getSession' | 'getTurn' | 'findSession' | 'approval'>;
  readonly store: StoreStatus;
  readonly models: ChatModels;
  readonly editor: ChatEditor;
  readonly files: ChatFiles;
  /** Default: there are no commands. */
  readonly terminal?: Pick<TerminalFeature, 'openOutput' | 'running'>;
  readonly attachments: PromptAttachments;
  /** Default: no suggestions. */
  readonly starters?: Slot<{ prompts(): Promise<readonly string[]> }>;
  /** Returns what of the user's and the folders' files for agents is part of every request. Default: none. */
  readonly contextFiles?: () => ContextFiles;
  readonly reports: ViewReports;
  /** Default: never synchronized. */
  readonly sync?: Pick<SyncView, 'run'>;
  /** True for a tab: its page keeps the shown session, not the store. */
  readonly isTab?: boolean;
}

type SavedDraft = v.InferOutput<typeof chatRequests.saveDraft>;
type SubmittedPrompt = v.InferOutput<typeof chatRequests.submit>;

export interface ChatHandlers {
  readonly commands: CommandHandlers<typeof chatCommands>;
  readonly requests: RequestHandlers<typeof chatRequests, ChatResults>;
}

/** Handles each message of the page of a chat view. Requests wait for a store that is still opening, so that an early
 *  prompt is not refused. */
export function chatHandlers(deps: ChatHandlerDeps, page: ChatSurface): ChatHandlers {
  const { gateway, store, models, editor, files } = deps;
  const surfaceId = page.id;
  const code = codeHandlers(editor.code);
  const feed = feedHandlers(deps, (progress) => page.notify('findProgress', progress));
  const consent = new PageConsent({ gateway, sessions: deps.sessions, confirm: (asked) => editor.confirm(asked) });
  let draftSaved: Promise<void> = Promise.resolve();
  const saveDraft = async ({ key, text, parts, sent = [], from }: SavedDraft): Promise<void> => {
    await store.settled();
    await gateway.store.setDraft(key, text, parts, {
      sent: sent.map(draftSent),
      ...(from === undefined ? {} : { from }),
    });
  };
  const resolved = async (
    uid: string,
    parts: readonly DraftPart[] | undefined,
  ): Promise<readonly SentPart[] | undefined> => {
    // Already sent by a request whose response was lost: mentioned content may be gone by now.
    const wasSent =
      parts?.some(({ kind }) => kind === 'mention') === true && (await deps.sessions.getMessage(uid)) !== null;
    return parts === undefined || wasSent ? undefined : deps.attachments.resolve(parts);
  };
  const noticeOf = async (sessionId: string, parts: readonly SentPart[] = []): Promise<string | null> => {
    const model = (await deps.sessions.getSession(sessionId))?.model ?? null;
    return deps.attachments.noticeOf(parts, models.stateOf(model).chosen);
  };
  const submit = async ({ busy, parts, draft, ...prompt }: SubmittedPrompt): Promise<ChatResults['submit']> => {
    await store.settled();
    // A draft stored after its prompt would offer the prompt again, so wait for it. Its own request reports a failed
    // save to the page; the prompt is still sent.
    await draftSaved.catch(() => undefined);
    const along = await resolved(prompt.uid, parts);
    const shown = deps.isTab === true ? {} : { shownKey: page.shownKey };
    const from =
      draft === undefined ? {} : { draft: { ...draft, ...shown, ...(parts === undefined ? {} : { parts }) } };
    const receipt = await gateway.intake.submit(surfaceId, {
      ...prompt,
      ...from,
      ...(along === undefined ? {} : { parts: along }),
      ...(busy === undefined ? {} : { busy }),
    });
    const notice = await noticeOf(receipt.sessionId, along);
    return { kind: receipt.kind, sessionId: receipt.sessionId, ...(notice === null ? {} : { notice }) };
  };
  return {
    commands: {
      ...files.handlers.commands,
      openOutput: async ({ file }) => deps.terminal?.openOutput(file),
      stopCommand: async ({ file }) => deps.terminal?.running.stop(file),
      ...code.commands,
      ...feed.commands,
      ready: () => page.pageLoaded(),
      crashDemoSeen: () => deps.reports.crashDemoSeen(),
      shownText: ({ messageUid, text }) => deps.reports.shownText(messageUid, text),
      dismissBackground: ({ sessionId }) => page.dismissBackground(sessionId),
      openTranscript: async ({ messageUid }) => {
        const sessionId = gateway.surfaces.shownSession(surfaceId);
        if (sessionId !== null) await editor.openTranscript(sessionId, messageUid);
      },
      resumePicker: () => editor.pickSession(surfaceId),
      featureCommand: ({ command, argument }) => editor.runFeatureCommand(command, argument),
      selectModelPicker: () => editor.pickModel(gateway.surfaces.shownSession(surfaceId)),
      openSettings: ({ query }) => editor.openSettings(query),
      showLog: () => editor.showLog(),
      copy: ({ text }) => editor.copy(text),
      openLink: ({ href }) => editor.openLink(href),
      skipRecall: ({ sessionId, turnUid }) => gateway.turns.skipRecall(sessionId, turnUid),
      stopElsewhere: async () => deps.sync?.run('stopElsewhere'),
      takeOver: async () => deps.sync?.run('takeOver'),
      showSync: async () => deps.sync?.run('showSync'),
      runAction: async ({ action }) => {
        if (!(await store.runAction(action))) await editor.runAction(action);
      },
    },
    requests: {
      ...files.handlers.requests,
      changedFiles: async ({ turnUid }) => (await files.ofTurns([turnUid]))[turnUid] ?? [],
      filesFrom: ({ turnUid }) => files.from(turnUid),
      ...code.requests,
      ...feed.requests,
      ...attachmentHandlers(deps.attachments),
      starterPrompts: async () => (await deps.starters?.current?.prompts()) ?? [],
      ...composerHandlers(deps, page),
      reportDelivery: ({ conversations }) => deps.reports.reportDelivery(surfaceId, conversations),
      saveDraft: async (draft) => {
        draftSaved = saveDraft(draft);
        page.writes.add(draftSaved);
        await draftSaved;
        return null;
      },
      draft: async ({ key }) => {
        await store.settled();
        return gateway.store.draft(key);
      },
      submit: async (prompt) => {
        const taken = submit(prompt);
        page.writes.add(taken);
        return taken;
      },
      stop: ({ sessionId, turnUid }) => done(gateway.turns.stop(sessionId, turnUid)),
      retry: ({ turnUid, files: withFiles }) =>
        askedAgain(files, turnUid, withFiles, (takeBack) => gateway.versions.retry(surfaceId, turnUid, takeBack)),
      continueTurn: ({ turnUid }) =>
        askedAgain(files, turnUid, false, () => gateway.continuation.continueTurn(surfaceId, turnUid)),
      editAndResend: async ({ turnUid, text, uid, parts, files: withFiles }) => {
        await store.settled();
        const along = await resolved(uid, parts);
        const asked = await askedAgain(files, turnUid, withFiles, (takeBack) =>
          gateway.intake.editAndResend(surfaceId, turnUid, text, uid, takeBack, along),
        );
        return { ...asked, notice: joined(asked.notice, await noticeOf(asked.sessionId, along)) };
      },
      showVersion: async ({ turnUid }) => {
        const head = await deps.sessions.getTurn(turnUid);
        if (head !== null) page.pages.reachTo(head.userMessageUid);
        await gateway.versions.show(turnUid);
        return null;
      },
      switchSession: async ({ target }) => {
        await store.settled();
        // A rewind puts the prompt before the text in the composer, so wait for the draft. The view reports a failed
        // save.
        await draftSaved.catch(() => undefined);
        const { sessionId, notice, rewoundTurn } = await gateway.switching.switchSession(
          surfaceId,
          switchTarget(target),
        );
        if (sessionId !== null) await consent.opened(sessionId);
        const isWithFiles = target.reason === 'rewind' && target.files === true && rewoundTurn !== undefined;
        const text = joined(notice, isWithFiles ? await files.takeBack(rewoundTurn) : null);
        // Resolve only once the webview shows the new session, so the next keystrokes go to it.
        await page.untilRendered();
        return { sessionId, notice: text };
      },
      findSession: ({ text }) => deps.sessions.findSession(text),
      loadEarlier: async ({ sessionId, before, limit }) => {
        const { messages, turns, versions, hasEarlier } = await gateway.store.readTranscript({
          sessionId,
          before,
          limit,
        });
        page.pages.loaded(messages.length);
        return { messages, turns, versions, hasEarlier, changes: await files.ofTurns(turns.map(({ uid }) => uid)) };
      },
      readMessage: ({ uid }) => deps.sessions.getMessage(uid),
      editQueued: ({ uid, text }) => done(gateway.queue.edit(uid, text)),
      removeQueued: ({ uid }) => done(gateway.queue.remove(uid)),
      promoteQueued: ({ uid }) => done(gateway.queue.promote(uid)),
      contextUse: async ({ sessionId }) => {
        const [{ tokens, counted, window, parts }, spending] = await Promise.all([
          gateway.compression.contextUse(sessionId),
          gateway.spending.costs(sessionId),
        ]);
        return { tokens, counted, window, parts, spending, ...deps.contextFiles?.() };
      },
      compressionPreview: ({ sessionId }) => gateway.compression.preview(sessionId),
      compress: ({ sessionId, focus }) => compressed(gateway, sessionId, focus),
      rename: ({ sessionId, title }) => done(gateway.actions.rename(sessionId, title)),
      listModels: ({ refresh }) => models.choices(refresh),
      selectModel: async ({ sessionId, ref }) => {
        await gateway.actions.selectModel(sessionId, ref);
        await page.modelChosen(sessionId);
        return null;
      },
      discover: () => models.discover(),
      replaceKey: async ({ turnUid }) => {
        const turn = await deps.sessions.getTurn(turnUid);
        return turn !== null && editor.replaceKey(turn.model);
      },
      setUp: ({ entryId }) => done(editor.setUp(entryId)),
      decideApproval: async ({ approvalId, decision }) => {
        await store.settled();
        refuseUnusableRules(decision);
        await refuseOutdatedApproval(deps.sessions, gateway.surfaces.shownSession(surfaceId), approvalId);
        await consent.decision(surfaceId, approvalId, decision);
        await gateway.approvals.decide(approvalId, decision);
        return null;
      },
      setMode: async ({ sessionId, mode }) => {
        await store.settled();
        await consent.mode(surfaceId, sessionId, mode);
        await gateway.approvals.setMode(surfaceId, sessionId, mode);
        if (sessionId === null) page.notify('mode', { sessionId, mode });
        return null;
      },
      stopCall: ({ sessionId, callId }) => done(gateway.turns.stopCall(sessionId, callId)),
      proceedCall: ({ sessionId, callId }) => done(gateway.turns.proceedCall(sessionId, callId)),
    },
  };
}

async function done(work: Promise<unknown>): Promise<null> {
  await work;
  return null;
}

/** Drops `parts` when it is undefined: optional fields of a message may be present with the value undefined. */
function draftSent({ uid, text, parts }: NonNullable<SavedDraft['sent']>[number]): DraftOnItsWay {
  return parts === undefined ? { uid, text } : { uid, text, parts };
}

/** Refuses a rule that would be ignored while the user can still correct it: the approval stays open. */
function refuseUnusableRules(decision: ApprovalDecision): void {
  if (decision.kind === 'deny' || decision.scope === 'once') return;
  const problem = decision.rules.map(allowRuleProblem).find((sentence) => sentence !== null);
  if (problem !== undefined) throw new GatewayError('invalid', problem);
}

/** Joins the sentences with spaces; skips nulls. Null: all are null. */
function joined(...sentences: readonly (string | null)[]): string | null {
  const present = sentences.filter((sentence) => sentence !== null);
  return present.length === 0 ? null : joinSentences(present);
}

/** Reverts files only once it is certain that the turn runs again, and before the model is called. */
async function askedAgain(
  files: ChatFiles,
  turnUid: string,
  withFiles: boolean | undefined,
  ask: (takeBack: () => Promise<void>) => Promise<SubmitReceipt>,
): Promise<AskedAgain> {
  let filesNotice: string | null = null;
  const receipt = await ask(async () => {
    if (withFiles === true) filesNotice = await files.takeBack(turnUid);
  });
  return {
    sessionId: receipt.sessionId,
    notice: joined(receipt.kind === 'started' ? (receipt.notice ?? null) : null, filesNotice),
  };
}

/** Drops optional fields with the value undefined and the fields that the gateway does not take. */
function switchTarget(target: ViewSwitch): SwitchTarget {
  switch (target.reason) {
    case 'new_session':
      return { reason: 'new_session', private: target.private ?? false };
    case 'branch': {
      const { title, ...branch } = target;
      return title === undefined ? branch : { ...branch, title };
    }
    case 'rewind': {
      const { files: _files, ...rewind } = target;
      return rewind;
    }
    default:
      return target;
  }
}

/** Reports a compression that changed nothing as a result, not as an error. */
async function compressed(gateway: Gateway, sessionId: string, focus: string | null): Promise<CompressionOutcome> {
  try {
    const { madeBy, tokens } = await gateway.compression.compress(sessionId, focus);
    return { kind: madeBy, tokens };
  } catch (error) {
    if (error instanceof GatewayError && error.causeClass === 'notCompressed')
      return { kind: 'unchanged', sentence: error.message };
    throw error;
  }
}

/** Attachment operations of a chat view. */
export type PromptAttachments = Omit<Pick<AttachmentService, keyof AttachmentService>, 'dispose'>;

/** Handles attachment requests of a view. A new search cancels the previous search of the same view. */
function attachmentHandlers(
  attachments: PromptAttachments,
): RequestHandlers<typeof attachmentRequests, AttachmentResults> {
  let searching = new AbortController();
  return {
    mentions: ({ text, limit, whole }) => {
      searching.abort();
      searching = new AbortController();
      return attachments.search(text, limit, searching.signal, whole);
    },
    pin: ({ source }) => attachments.pin(source),
    startServers: async () => {
      attachments.startServers();
      return null;
    },
    serverPrompt: ({ name, text }) => attachments.serverPrompt(name, text),
    attachFiles: () => attachments.pick(),
    dropped: ({ uris }) => attachments.dropped(uris),
  };
}
