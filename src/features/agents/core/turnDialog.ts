import { resolve } from 'node:path';
import { t } from '../../../base/translate';
import type { AskedCall, Verdict } from '../../../tools/approval/approvalPolicy';
import { answerServer, type InputRequest, type InputResponse } from '../../../tools/askedInput';
import { beginningOf } from '../../../tools/terminal/plainText';
import type { AskedAccess } from '../../../tools/tool';
import type { Access, Approval, ApprovalRequest } from '../../../transcript/approval';
import type { FoldedCall } from './foldedCall';
import type { HostedTurn } from './hostedAgent';
import { cancelledPermission, isForGood, permissionAnswer, type PermissionQuestion } from './protocol1';
import type { TurnFold } from './turnFold';

/** Characters of a transcript that the card shows before it is handed over. */
const previewCharacters = 4000;

/** Questions of an agent within a turn: judged by the same policy and asked with the same cards as calls of our own,
 *  one at a time. Access to files through the editor. */
export class TurnDialog {
  private last: Promise<unknown> = Promise.resolve();
  /** Paths that the user, or a rule, allowed the agent to edit in this turn. */
  private readonly editable = new Set<string>();

  constructor(
    private readonly turn: HostedTurn,
    readonly fold: TurnFold,
  ) {}

  /** Resolves when the call is stored and shown. `answer`: what the agent gets, once it is decided. */
  async ask(question: PermissionQuestion, withdrawn: AbortSignal): Promise<{ readonly answer: Promise<unknown> }> {
    const { fold } = this;
    const stored = question.call === null ? null : await fold.asked(question.call);
    // Without an option that allows the call, the user would allow something that is not then allowed.
    if (stored === null || permissionAnswer(question, true) === cancelledPermission) {
      await fold.note(t('The agent asked a question that Hermes cannot show, so it was not allowed.'));
      return { answer: Promise.resolve(permissionAnswer(question, false)) };
    }
    return this.next(async () => {
      if (withdrawn.aborted || this.turn.run.controller.signal.aborted) return cancelledPermission;
      // The agent may change its call while the card is shown: only what the user sees is decided.
      const paths = stored.call.editedPaths;
      const decision = await this.decide(stored.call, stored.messageUid, isForGood(question), withdrawn);
      if (decision.kind === 'withdrawn') return cancelledPermission;
      if (decision.kind === 'denied') await fold.deny(stored, decision.reason);
      else for (const path of paths) this.editable.add(path);
      return permissionAnswer(question, decision.kind === 'allowed');
    });
  }

  /** Begins when every earlier question is answered. */
  private next<T>(work: () => Promise<T>): { readonly answer: Promise<T> } {
    const answer = this.last.catch(() => undefined).then(work);
    this.last = answer;
    return { answer };
  }

  /** Offers to hand the transcript to an agent that does not know it. Resolves true when the user allows it. The line
   *  stays in the transcript in any case. */
  async offerHandoff(sentence: string, transcript: string): Promise<boolean> {
    const { recorder, agent } = this.turn;
    const part = this.fold.line('agent_handoff', sentence);
    const row = await recorder.storeRunningCall(part, { outcome: 'interrupted', text: sentence });
    const decided = await this.person(row.messageUid, part.callId, {
      tool: part.name,
      access: { kind: 'agent', agent, action: '' },
      subject: sentence,
      reasons: [],
      rules: [],
      preview: beginningOf(transcript, previewCharacters),
    });
    const isShared = decided.state.kind === 'decided' && decided.state.decision.kind === 'allow';
    const outcome = isShared
      ? t('{agent} got the transcript above.', { agent })
      : t('{agent} did not get the transcript above.', { agent });
    await row.store(part, { outcome: 'done', text: `${sentence} ${outcome}` });
    return isShared;
  }

  /** Puts a form, or a page to visit, to the user with the card of servers. A line with the answer stays in the
   *  transcript. */
  async elicit(request: InputRequest, withdrawn: AbortSignal): Promise<{ readonly answer: Promise<InputResponse> }> {
    const { recorder, agent, run, openPage } = this.turn;
    const text = request.message.trim();
    const part = this.fold.line('agent_input', text);
    await this.fold.flushCalls();
    const row = await recorder.storeRunningCall(part, { outcome: 'interrupted', text });
    const said: string[] = [];
    return this.next(async (): Promise<InputResponse> => {
      if (withdrawn.aborted || run.controller.signal.aborted) return { action: 'cancel' };
      const card = { tool: part.name, reasons: [], rules: [], preview: null };
      const response = await answerServer(
        { server: agent, asked: request, signal: withdrawn },
        {
          ask: (access, subject, over) =>
            this.person(row.messageUid, part.callId, { ...card, access: { ...access, isAgent: true }, subject }, over),
        },
        openPage,
        (sentence) => said.push(sentence),
      );
      const given = response.action === 'accept' ? Object.values(response.content ?? {}) : [];
      const lines = [text, ...said, ...given.map((value) => `• ${[value].flat().join(', ')}`)];
      await row.store(part, { outcome: response.action === 'accept' ? 'done' : 'denied', text: lines.join('\n') });
      return response;
    });
  }

  /** The text in the editor, with unsaved changes. */
  async read(path: string, line: number | null, limit: number | null): Promise<string> {
    const access = await this.turn.locate(resolve(this.turn.cwd, path));
    await this.mayAccess('read_file', { access: { kind: 'read', paths: [access] } }, path);
    const bytes = await this.turn.files.read(access.path, this.turn.run.controller.signal);
    const text = new TextDecoder().decode(bytes);
    if (line === null && limit === null) return text;
    const lines = text.split('\n');
    const from = Math.max(0, (line ?? 1) - 1);
    return lines.slice(from, limit === null ? undefined : from + limit).join('\n');
  }

  /** Writes through the editor. Judged like an edit of our own, unless its call was allowed already. */
  async write(path: string, text: string): Promise<void> {
    const { editor, run, cwd } = this.turn;
    const place = resolve(cwd, path);
    const access = await this.turn.locate(place);
    if (!this.editable.has(place))
      await this.mayAccess('edit_file', { access: { kind: 'edit', paths: [access] } }, path);
    const { signal } = run.controller;
    const before = await editor.open(access.path, signal);
    await editor.apply([{ path: access.path, before, after: text }], signal);
  }

  /** Rejects where the policy does not simply allow it: then the agent has to ask. */
  private async mayAccess(tool: string, asked: AskedAccess, path: string): Promise<void> {
    const verdict = await this.judge({ tool, asked });
    if (verdict.kind === 'deny') throw new Error(verdict.sentence);
    if (verdict.kind === 'ask') throw new Error(`The user has not allowed this: ${path}`);
  }

  private async judge(call: Pick<AskedCall, 'tool' | 'asked' | 'asksFor'>): Promise<Verdict> {
    const { policy, store, recorder, run } = this.turn;
    // Rules that cannot be read allow nothing.
    const sessionRules = await store.sessionRules(recorder.sessionId).catch(() => []);
    return policy.judge({ ...call, mode: await run.mode.get(), sessionRules, conversationId: run.conversationId });
  }

  private async decide(
    call: FoldedCall,
    messageUid: string,
    forGood: boolean,
    withdrawn: AbortSignal,
  ): Promise<{ readonly kind: 'allowed' | 'withdrawn' } | { readonly kind: 'denied'; readonly reason: string | null }> {
    const { run, log, agent, turns } = this.turn;
    const asked = await this.accessOf(call);
    // What our rules allow once must not become a permission for good that nobody has seen.
    const verdict = await this.judge({ tool: call.part().name, asked, asksFor: forGood ? 'always' : undefined });
    if (verdict.kind === 'allow') return { kind: 'allowed' };
    if (verdict.kind === 'deny') return { kind: 'denied', reason: verdict.sentence };
    try {
      const { state, request } = await this.person(messageUid, call.callId, verdict.request, withdrawn);
      if (state.kind !== 'decided' || withdrawn.aborted) return { kind: 'withdrawn' };
      if (state.decision.kind === 'deny') return { kind: 'denied', reason: state.decision.reason };
      await turns.remember(state.decision, this.turn);
      if (request.access.kind === 'plan' && (await run.mode.get()) === 'plan') await run.mode.set('ask');
      return { kind: 'allowed' };
    } catch (error) {
      if (withdrawn.aborted || run.controller.signal.aborted) return { kind: 'withdrawn' };
      log.warn(`A question of ${agent} could not be asked: ${String(error)}`);
      // The window closes while the card is open: the turn ends here, since the agent ends too.
      run.controller.abort(Object.assign(new Error('The window closes.'), { reason: 'windowClosed' }));
      return { kind: 'withdrawn' };
    }
  }

  private person(
    messageUid: string,
    callId: string,
    request: ApprovalRequest,
    withdrawn: AbortSignal | null = null,
  ): Promise<Approval> {
    return this.turn.turns.ask(this.turn, { messageUid, callId, request }, withdrawn);
  }

  private async accessOf(call: FoldedCall): Promise<AskedAccess> {
    const { agent, locate, cwd, run } = this.turn;
    const paths = await Promise.all((call.editedPaths.length > 0 ? call.editedPaths : call.paths).map(locate));
    const other: Access = { kind: 'agent', agent, action: call.title === '' ? call.kind : call.title };
    switch (call.kind) {
      case 'edit':
      case 'delete':
      case 'move':
        return paths.length === 0
          ? { access: other }
          : { access: { kind: 'edit', paths }, ...(call.diff === '' ? {} : { preview: call.diff }) };
      case 'read':
      case 'search':
        return paths.length === 0 ? { access: other } : { access: { kind: 'read', paths } };
      case 'execute':
        return {
          access: {
            kind: 'run',
            command: call.command,
            folder: await locate(call.commandFolder || cwd),
            shell: process.platform === 'win32' ? 'powershell' : 'posix',
          },
        };
      case 'fetch':
        return /^https?:/.test(call.url) ? { access: { kind: 'fetch', url: call.url } } : { access: other };
      case 'switch_mode':
        return (await run.mode.get()) === 'plan' ? { access: { kind: 'plan' }, preview: call.text } : { access: other };
      case 'think':
      case 'other':
        return { access: other, ...(call.text === '' ? {} : { preview: call.text }) };
      default:
        return call.kind satisfies never;
    }
  }
}
