import { t } from '../../base/translate';
import { Gateway } from '../../gateway/conversationGateway';
import { Agent } from '../../agent/agent';
import { Summarizer } from '../../agent/compression/summarizer';
import { readSkillName } from '../../agent/project/readSkillTool';
import { systemPrompt } from '../../agent/systemPrompt';
import { noAnswer } from '../../agent/turnHooks';
import type { Clock } from '../../base/clock';
import type { Ids } from '../../base/ids';
import type { Log } from '../../base/log';
import type { MemoryProviders } from '../../memory/memoryProviders';
import type { ModelCatalog } from '../../models/catalog/catalog';
import type { SessionStore } from '../../store/session/sessionStore';
import type { ToolRegistry } from '../../tools/toolRegistry';
import type { WorkspaceFiles } from '../../tools/workspaceFiles';
import type { ApprovalRules } from '../approvals/approvalRules';
import type { WindowHooks } from './featurePoints';
import type { Slot } from '../common/slot';
import { editorWorkNotice } from '../notifications/editorWorkNotice';
import { withWorkNotices } from '../notifications/longWork';
import type { McpHost } from '../mcp/mcpHost';
import type { ProjectFiles } from '../workspace/projectFiles';
import type { SettingsWatcher } from '../settings/settingsWatcher';
import type { FeaturePoints } from './featurePoints';

interface WindowGatewayDeps {
  readonly beforeTurn: (conversationId: string) => Promise<void>;
  readonly store: SessionStore;
  readonly settings: SettingsWatcher;
  readonly agents: FeaturePoints['agents'];
  readonly catalog: ModelCatalog;
  readonly tools: ToolRegistry;
  readonly approvals: ApprovalRules;
  readonly mcp: McpHost;
  readonly project: ProjectFiles;
  readonly memory: MemoryProviders;
  readonly hooks: Slot<WindowHooks>;
  readonly files: Pick<WorkspaceFiles, 'roots'>;
  /** Number of times that a key was set or removed. */
  readonly keyChanges: () => number;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
}

/** Creates the gateway of one window. Its agents follow the settings, the open folders and the user's approvals. An
 *  agent is rebuilt when any of these has changed. */
export function windowGateway({
  beforeTurn,
  store,
  settings,
  agents,
  catalog,
  tools,
  approvals,
  mcp,
  project,
  memory,
  hooks,
  files,
  keyChanges,
  ids,
  clock,
  log,
}: WindowGatewayDeps): Gateway {
  return new Gateway({
    store: withWorkNotices(store, { clock, notice: editorWorkNotice, t }),
    clock,
    ids,
    log,
    beforeTurn,
    afterTurn: (turn) => hooks.current?.afterTurn(turn),
    createAgent: (model, agentMemory, custom = null) =>
      agents.current?.agentFor(model) ??
      new Agent({
        store,
        clock,
        ids,
        log,
        tools,
        approvals: approvals.policy,
        ...(agentMemory === undefined ? {} : { memory: agentMemory }),
        project: () => project.current,
        custom,
        hooks: { run: async (...asked) => hooks.current?.run(...asked) ?? noAnswer },
        moreTools: async (signal, called) => [...(await mcp.tools(signal, called)), ...mcp.editorTools.offered()],
        openModel: async (signal) => {
          await project.ready();
          return catalog.resolve(model, signal);
        },
        systemPrompt: (hasTools) => systemPrompt({ roots: files.roots(), platform: process.platform, hasTools }),
        maxIterations: settings.current.maxIterations,
      }),
    agentSignature: (model, custom = null) => {
      const folders = files.roots().map((root) => root.path);
      return JSON.stringify([model, custom, settings.current, keyChanges(), project.version, folders]);
    },
    createMemory: (agent) =>
      memory.createMemory(agent, {
        clock,
        log,
        coreTools: [...tools.names, readSkillName],
      }),
    defaultModel: () => settings.current.model,
    saveDefaultModel: (ref) => settings.saveModel(ref),
    folder: () => files.roots()[0]?.path ?? null,
    busyMode: () => settings.current.busyInput,
    defaultMode: () => settings.current.mode,
    sessionTitles: () => settings.current.sessionTitles,
    spendingLimit: () => settings.current.spendingLimit,
    defaultEffort: () => settings.current.reasoningEffort,
    contextEngine: new Summarizer({ clock, log, threshold: () => settings.current.compressionThreshold }),
    summaryModel: () => settings.current.compressionModel,
  });
}
