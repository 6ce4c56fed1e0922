import type {
  ChatNotifications,
  ChatResults,
  ChatState,
  ContextUseView,
  ModelList,
  ShownSession,
} from '../../../src/protocol/chatProtocol';
import type { SearchPage, SearchState } from '../../../src/features/search/protocol/searchProtocol';
import type { TranscriptResults, TranscriptState } from '../../../src/features/transcript/protocol/transcriptProtocol';
import type { HandoffTokens } from '../../../src/transcript/handoff';
import type { TurnEvent } from '../../../src/transcript/turnEvent';
import { chatState } from '../builders/viewMessages';
import type { StoredConversation } from './feedStates';

/** A view as the host would describe it, and what a person does in it before it is looked at. */
export interface PreviewState {
  readonly view: 'chat' | 'transcript' | 'search';
  readonly bootstrap: ChatState | TranscriptState | SearchState;
  readonly events?: readonly TurnEvent[];
  /** Told behind the bootstrap. */
  readonly effort?: ChatNotifications['effort'];
  readonly agents?: ChatNotifications['agents'];
  readonly currentFile?: ChatNotifications['currentFile'];
  readonly requests?: {
    readonly listModels?: ModelList;
    readonly contextUse?: ContextUseView;
    readonly compressionPreview?: HandoffTokens;
    readonly search?: SearchPage;
  } & {
    readonly [
      Name in 'starterPrompts' | 'fileHunks' | 'filesFrom' | 'mentions' | 'reviewFiles' | 'reportDelivery'
    ]?: ChatResults[Name];
  } & { readonly [Name in 'loadRows' | 'findRows' | 'revisions' | 'rawRow' | 'verify']?: TranscriptResults[Name] };
  /** All that is stored of the conversation: pages of it are read from here. */
  readonly stored?: StoredConversation;
  /** Words that are looked for in the conversation. */
  readonly find?: string;
  /** Buttons pressed, by accessible name, in order. */
  readonly press?: readonly string[];
  readonly hover?: string;
  readonly type?: string;
  /** Typed into the transcript's find field; Enter is pressed when it was found. */
  readonly findRows?: string;
  readonly direction?: 'rtl';
  /** What the page kept when it was last seen. */
  readonly recalled?: object;
}

/** The chat, what a person does in it, and what the host says of the rest. */
export function chat(
  shown: ShownSession | null,
  doing: Omit<PreviewState, 'view' | 'bootstrap'> = {},
  change: Partial<ChatState> = {},
): PreviewState {
  const bootstrap = chatState(shown, {
    promptFiles: [
      { name: 'review', description: 'Review a file', argumentHint: '[file]' },
      { name: 'release', description: 'How to release this package', argumentHint: '[version]', kind: 'skill' },
      { name: 'researcher', description: 'Looks through the code', argumentHint: null, kind: 'agent' },
    ],
    demoPrompts: ['What is in this folder?', 'Search for “TODO”', 'Give me a long answer about this folder'],
    ...change,
  });
  return { view: 'chat', bootstrap, ...doing };
}
