import { safeParse } from 'valibot';
import { describe, expect, it } from 'vitest';
import type { PromptSubmission, SubmitReceipt } from '../../../../src/gateway/gateway';
import { type ChatHandlers, chatHandlers, type ChatHandlerDeps } from '../../../../src/host/chat/chatHandlers';
import { MentionError } from '../../../../src/host/common/describeError';
import { StoreStatus } from '../../../../src/host/storage/storeStatus';
import type { FoundMentions } from '../../../../src/protocol/attachmentProtocol';
import { chatRequests } from '../../../../src/protocol/chatProtocol';
import type { DraftPart, SentPart } from '../../../../src/transcript/draftPart';
import { modelRow } from '../../../support/builders/viewMessages';
import { noAttachments, noChangedFiles, noViewReports } from '../../../support/emptyHost';
import { noCodeActions } from '../../../support/noCodeActions';
import { ScriptedGateway, session, userMessage } from '../scriptedGateway';
import { StoreAtHand } from '../storeAtHand';

const mention: DraftPart = { kind: 'mention', source: 'file:a.ts', label: 'a.ts' };
const file: SentPart = { kind: 'attachment', label: 'a.ts', source: 'file:a.ts', text: 'a' };
const picture: SentPart = { kind: 'image', mediaType: 'image/png', dataBase64: 'aaaa' };

class PartsGateway extends ScriptedGateway {
  readonly sent: unknown[] = [];

  override async submit(_surfaceId: string, { text, parts }: PromptSubmission): Promise<SubmitReceipt> {
    this.sent.push([text, parts]);
    return { kind: 'started', sessionId: 's1', turnUid: 't1' };
  }

  override async editAndResend(
    _surfaceId: string,
    turnUid: string,
    text: string,
    _uid: string,
    _before?: () => Promise<void>,
    parts?: readonly SentPart[],
  ): Promise<SubmitReceipt> {
    this.sent.push([turnUid, text, parts]);
    return { kind: 'started', sessionId: 's1', turnUid };
  }

  override async saveDraft(key: string, text: string, parts?: readonly DraftPart[]): Promise<void> {
    this.sent.push([key, text, parts]);
  }
}

function handlersWith(
  attachments: Partial<ChatHandlerDeps['attachments']>,
  images: boolean | null = true,
): { readonly gateway: PartsGateway; readonly handlers: ChatHandlers } {
  const gateway = new PartsGateway(session('s1'));
  const never = (): never => {
    throw new Error('not asked for');
  };
  const deps: ChatHandlerDeps = {
    isTab: true,
    gateway,
    files: noChangedFiles,
    attachments: { ...noAttachments, ...attachments },
    reports: noViewReports,
    sessions: {
      getMessage: async (uid) => gateway.rows.find((row) => row.uid === uid) ?? null,
      getSession: async (id) => gateway.stored.get(id) ?? null,
      getTurn: async () => null,
      approval: async () => null,
      findSession: async () => ({ kind: 'none' }),
    },
    store: new StoreStatus(new StoreAtHand()),
    models: {
      stateOf: () => ({ chosen: modelRow({ label: 'small', images }), problem: null }),
      choices: never,
      setup: { searching: false, entries: [] },
      discover: never,
      onDidChange: () => ({ dispose: () => undefined }),
    },
    editor: {
      openTranscript: never,
      pickSession: never,
      runFeatureCommand: never,
      pickModel: never,
      openSettings: never,
      showLog: never,
      copy: never,
      openLink: never,
      code: noCodeActions,
      confirm: never,
      setUp: never,
      replaceKey: never,
      runAction: never,
    },
  };
  return { gateway, handlers: chatHandlers(deps, { id: 'chat', writes: { add: () => undefined } } as never) };
}

const reads: Partial<ChatHandlerDeps['attachments']> = {
  resolve: async (parts) => parts.map((part) => (part.kind === 'mention' ? file : part)),
};
const refuses: Partial<ChatHandlerDeps['attachments']> = {
  resolve: async () => {
    throw new MentionError('a.ts is not there any more.');
  },
};

describe('a prompt from a view', () => {
  it('is sent with the read mentions; earlier attachments are kept when the prompt does not name any', async () => {
    const { gateway, handlers } = handlersWith(reads);
    await handlers.requests.submit({ sessionId: 's1', uid: 'u1', text: '', parts: [mention, picture] });
    await handlers.requests.submit({ sessionId: 's1', uid: 'u2', text: 'plain' });
    await handlers.requests.editAndResend({ turnUid: 't1', text: 'x', uid: 'e1', parts: [mention] });
    await handlers.requests.editAndResend({ turnUid: 't1', text: 'y', uid: 'e2' });
    await handlers.requests.saveDraft({ key: 's1', text: 'half', parts: [mention] });
    await handlers.requests.saveDraft({ key: 's1', text: 'half a' });
    expect(gateway.sent).toEqual([
      ['', [file, picture]],
      ['plain', undefined],
      ['t1', 'x', [file]],
      ['t1', 'y', undefined],
      ['s1', 'half', [mention]],
      ['s1', 'half a', undefined],
    ]);
  });

  it('is not sent if an attachment cannot be read, unless it was sent before', async () => {
    const { gateway, handlers } = handlersWith(refuses);
    const refused = [
      await handlers.requests.submit({ sessionId: 's1', uid: 'u1', text: 'hello', parts: [mention] }).catch(String),
      await handlers.requests
        .editAndResend({ turnUid: 't1', uid: 'u1', text: 'hello', parts: [mention] })
        .catch(String),
    ];
    const before = [...gateway.sent];
    gateway.rows.push(userMessage('u1', 'hello'));
    await handlers.requests.submit({ sessionId: 's1', uid: 'u1', text: 'hello', parts: [mention] });
    expect({ refused, before, after: gateway.sent }).toEqual({
      refused: ['MentionError: a.ts is not there any more.', 'MentionError: a.ts is not there any more.'],
      before: [],
      after: [['hello', undefined]],
    });
  });

  it('with images for a model without image support says so after it is sent', async () => {
    const { gateway, handlers } = handlersWith(
      { ...reads, noticeOf: (parts, model) => `${parts.length} ${model?.label ?? ''} ${String(model?.images)}` },
      false,
    );
    const sent = await handlers.requests.submit({ sessionId: 's1', uid: 'u1', text: 'what?', parts: [picture] });
    const edited = await handlers.requests.editAndResend({
      turnUid: 't1',
      uid: 'u2',
      text: 'what?',
      parts: [picture, mention],
    });
    expect({ sent: sent.notice, edited: edited.notice, count: gateway.sent.length }).toEqual({
      sent: '1 small false',
      edited: '2 small false',
      count: 2,
    });
  });
});

describe('questions from a view', () => {
  it('about mentions: a new question ends the previous one', async () => {
    const signals: AbortSignal[] = [];
    const search = async (text: string, limit: number, signal: AbortSignal): Promise<FoundMentions> => {
      signals.push(signal);
      return {
        mentions: [{ source: `file:${text}`, label: text, detail: String(limit), kind: 'file' }],
        isWhole: true,
      };
    };
    const { handlers } = handlersWith({ search });
    const found = await Promise.all([
      handlers.requests.mentions({ text: 'a', limit: 5 }),
      handlers.requests.mentions({ text: 'ab', limit: 5 }),
    ]);
    expect({
      labels: found.flatMap(({ mentions }) => mentions.map(({ label }) => label)),
      aborted: signals.map(({ aborted }) => aborted),
    }).toEqual({ labels: ['a', 'ab'], aborted: [true, false] });
  });

  it.each([
    ['an image of a type that no model takes', { kind: 'image', mediaType: 'image/svg+xml', dataBase64: 'aaaa' }],
    ['an image that is too large', { kind: 'image', mediaType: 'image/png', dataBase64: 'a'.repeat(7_000_000) }],
    ['an attachment that is too long', { kind: 'attachment', label: 'a', source: 'file:a', text: 'a'.repeat(200_001) }],
    ['something else', { kind: 'sound', label: 'a' }],
  ])('are refused with %s', (_what, part) => {
    expect(safeParse(chatRequests.submit, { sessionId: null, uid: 'u', text: '', parts: [part] }).success).toBe(false);
  });
});
