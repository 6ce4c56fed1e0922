import { Emitter, toDisposable } from '../../src/base/disposable';
import type { PromptAttachments } from '../../src/host/chat/chatHandlers';
import type { ViewReports } from '../../src/host/chat/deliveryReports';
import { MentionError } from '../../src/host/common/describeError';
import { type ChatFiles, FeatureFiles } from '../../src/host/webviews/chatFiles';
import type { ReportRequest } from '../../src/protocol/deliveryProtocol';

/** Used where nothing can be mentioned. */
export const noAttachments: PromptAttachments = {
  currentFile: null,
  onDidChangeCurrentFile: () => toDisposable(() => undefined),
  search: async () => ({ mentions: [], isWhole: true }),
  pin: async () => ({ kind: 'problem', problem: 'Nothing can be attached here.' }),
  startServers: () => undefined,
  serverPrompt: async () => ({ parts: [], problems: [] }),
  pick: async () => ({ parts: [], problems: [] }),
  dropped: async () => ({ parts: [], problems: [] }),
  resolve: async (parts) =>
    parts.map((part) => {
      if (part.kind === 'mention')
        throw new MentionError(`${part.label} can’t be read here. Remove it, or attach its text.`);
      return part;
    }),
  noticeOf: () => null,
};

/** Used where no changed files are tracked. */
export const noChangedFiles: ChatFiles = {
  ofTurns: async () => ({}),
  from: async () => [],
  takeBack: async () => null,
  handlers: new FeatureFiles().handlers,
};

/** Used for views whose delivery reports are not needed. */
export const noViewReports: ViewReports = {
  reportDelivery: async () => ({ forgotten: [], crashDemo: null }),
  crashDemoSeen: () => undefined,
  shownText: () => undefined,
  onDidAsk: new Emitter<ReportRequest>().event,
};
