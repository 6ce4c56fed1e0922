import { Agent, type AgentDeps, type TurnAgent } from '../../agent/agent';
import { Summarizer } from '../../agent/compression/summarizer';
import { invocable, type ProjectContext } from '../../agent/project/projectContext';
import { calledPrompt } from '../../agent/project/promptFiles';
import { readSkillName } from '../../agent/project/readSkillTool';
import { systemPrompt } from '../../agent/systemPrompt';
import { Gateway } from '../../gateway/conversationGateway';
import type { GatewayServices } from '../../gateway/gatewayServices';
import type { MemoryProviders } from '../../memory/memoryProviders';
import type { ModelCatalog } from '../../models/catalog/catalog';
import type { WorkspaceFiles } from '../../tools/workspaceFiles';
import type { HermesSettings } from '../settings/settings';

type OwnServices = Pick<
  GatewayServices,
  'clock' | 'ids' | 'log' | 'defaultModel' | 'saveDefaultModel' | 'agentSignature'
> &
  Partial<Pick<GatewayServices, 'beforeTurn' | 'afterTurn' | 'busyMode'>>;

interface AgentGatewayDeps
  extends OwnServices, Pick<AgentDeps, 'store' | 'tools' | 'approvals' | 'hooks' | 'moreTools'> {
  /** The store as turns use it. Default: `store`. */
  readonly turnStore?: AgentDeps['store'];
  readonly settings: () => HermesSettings;
  readonly catalog: ModelCatalog;
  readonly memory: MemoryProviders;
  readonly files: Pick<WorkspaceFiles, 'roots'>;
  readonly project: () => ProjectContext;
  /** Resolves when `project` is read. */
  readonly projectRead: (signal: AbortSignal) => Promise<void>;
  /** Name of the program that the user works in. Default: VS Code. */
  readonly editor?: string;
  /** An agent of another maker for this model. Default: none. */
  readonly otherAgent?: (model: string) => TurnAgent | null;
}

/** Creates the gateway of Hermes' own agent, in a window or without one. Its agents follow the settings, the open
 *  folders and the user's approvals. */
export function agentGateway({
  store,
  turnStore = store,
  clock,
  ids,
  log,
  settings,
  catalog,
  tools,
  approvals,
  hooks,
  moreTools,
  memory,
  files,
  project,
  projectRead,
  editor,
  otherAgent,
  ...own
}: AgentGatewayDeps): Gateway {
  return new Gateway({
    ...own,
    store: turnStore,
    clock,
    ids,
    log,
    createAgent: (model, agentMemory, custom = null) =>
      otherAgent?.(model) ??
      new Agent({
        store,
        clock,
        ids,
        log,
        tools,
        approvals,
        ...(hooks === undefined ? {} : { hooks }),
        ...(moreTools === undefined ? {} : { moreTools }),
        ...(agentMemory === undefined ? {} : { memory: agentMemory }),
        project,
        custom,
        openModel: async (signal) => {
          await projectRead(signal);
          return catalog.resolve(model, signal);
        },
        systemPrompt: (hasTools) =>
          systemPrompt({
            roots: files.roots(),
            platform: process.platform,
            hasTools,
            ...(editor === undefined ? {} : { editor }),
          }),
        maxIterations: settings().maxIterations,
      }),
    modelOfFile: async (file, chosen) => {
      if ('prompt' in file && !file.prompt.startsWith('/')) return null;
      await projectRead(new AbortController().signal);
      const { agents } = project();
      const models =
        'agent' in file
          ? agents.find(({ name }) => name === file.agent)?.models
          : calledPrompt(file.prompt, invocable(project())).prompt?.models;
      const found = await catalog.ofFiles.find(models ?? [], chosen);
      return found.kind === 'model' ? found.ref : null;
    },
    createMemory: (agent) => memory.createMemory(agent, { clock, log, coreTools: [...tools.names, readSkillName] }),
    folder: () => files.roots()[0]?.path ?? null,
    defaultMode: () => settings().mode,
    sessionTitles: () => settings().sessionTitles,
    spendingLimit: () => settings().spendingLimit,
    defaultEffort: () => settings().reasoningEffort,
    contextEngine: new Summarizer({ clock, log, threshold: () => settings().compressionThreshold }),
    summaryModel: () => settings().compressionModel,
  });
}
