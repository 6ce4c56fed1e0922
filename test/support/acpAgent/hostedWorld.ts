import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { LeftWaiting } from '../../../src/agent/liveRun';
import { askPerson, rememberRules } from '../../../src/agent/personAsking';
import { recordTurn, type RecordingDeps } from '../../../src/agent/recordedTurn';
import type { TurnAgent } from '../../../src/agent/agent';
import {
  createHostedAgents,
  type HostedAgents,
  type HostedAgentsDeps,
  type TurnMachinery,
} from '../../../src/features/agents/core/hostedAgent';
import type { PipedLaunch } from '../../../src/tools/terminal/pipedProcess';
import type { AgentRules } from '../../../src/features/agents/core/agentRegistry';
import { ModelError } from '../../../src/models/modelProvider';
import { StoreEditJournal } from '../../../src/tools/files/changes/changeRecorder';
import type { AccessPath } from '../../../src/transcript/approval';
import { cautiousPolicy } from '../cautiousPolicy';
import { FileEditorOnDisk } from '../fileEditorOnDisk';
import { FolderOnDisk } from '../folderOnDisk';
import { World, type WorldOptions } from '../world';

export const program = fileURLToPath(new URL('./acpAgent.mjs', import.meta.url));

export const machinery: TurnMachinery = {
  record: recordTurn,
  ask: askPerson,
  remember: rememberRules,
  isLeftWaiting: (error) => error instanceof LeftWaiting,
  modelError: (failure) => new ModelError(failure),
};

/** What the scripted agent is like, see acpAgent.mjs. */
export type Quirks = Readonly<Record<string, unknown>>;

interface HostedOptions {
  readonly quirks?: Quirks;
  readonly rules?: AgentRules;
  /** MCP servers that the agent gets. */
  readonly servers?: HostedAgentsDeps['servers'];
  /** A real agent instead of the scripted one. `folder`: the open one. */
  readonly launch?: (folder: string) => PipedLaunch;
  /** Milliseconds that each call of the store takes longer, before or after its work. Default: none. */
  readonly slowStore?: () => number;
  /** Method of the store that resolves before its work is done. For controls. */
  readonly early?: string;
  readonly world?: Omit<WorldOptions, 'hosted' | 'defaultModel'>;
}

/** Web pages that agents had opened, newest last. */
export const openedPages: string[] = [];

/** The agents of a world, and the disk of the scripted one. */
export function hostedAgents(
  parts: RecordingDeps,
  home: string,
  quirks: () => Quirks,
  { launch, servers }: Pick<HostedOptions, 'launch' | 'servers'> = {},
): { readonly agents: HostedAgents; readonly disk: string } {
  const disk = path.join(home, 'agent', 'disk.json');
  mkdirSync(path.dirname(disk), { recursive: true });
  const folder = path.join(home, 'project');
  mkdirSync(folder, { recursive: true });
  const shownPath = (file: string): string => path.relative(folder, file) || '.';
  const agents = createHostedAgents({
    ...parts,
    turns: machinery,
    policy: cautiousPolicy,
    files: new FolderOnDisk([{ name: 'project', path: folder }]),
    locate: (file): Promise<AccessPath> =>
      Promise.resolve({ path: file, shown: shownPath(file), isInside: !shownPath(file).startsWith('..') }),
    shownPath,
    editor: new FileEditorOnDisk(),
    journal: new StoreEditJournal({ ...parts, isOn: () => true, onChange: () => undefined }),
    folder: () => folder,
    openPage: (url) => Promise.resolve(void openedPages.push(url)),
    ...(servers === undefined ? {} : { servers }),
    launch: () =>
      Promise.resolve(
        launch?.(folder) ?? {
          command: process.execPath,
          args: [program],
          environment: { PATH: process.env['PATH'] ?? '', ACP_DISK: disk, ACP_QUIRKS: JSON.stringify(quirks()) },
          folder,
        },
      ),
    version: '0.0.0',
    translations: { language: 'en', texts: {} },
  });
  return { agents, disk };
}

/** A world whose sessions are answered by the scripted agent. `Scripted…/…` models are the agent's, by the name of its entry; others are ours. */
export class HostedWorld {
  quirks: Quirks;
  private hosted: ReturnType<typeof hostedAgents> | null = null;

  private constructor(
    readonly world: World,
    quirks: Quirks,
  ) {
    this.quirks = quirks;
  }

  static async create({
    quirks = {},
    rules = {},
    launch,
    servers,
    slowStore,
    early,
    world: options = {},
  }: HostedOptions = {}): Promise<HostedWorld> {
    // eslint-disable-next-line prefer-const
    let self: HostedWorld;
    const world = await World.create({
      ...options,
      defaultModel: 'Scripted/default',
      hosted: (model, parts): TurnAgent | undefined => {
        const [, name] = /^(Scripted[^/]*)\//.exec(model) ?? [];
        if (name === undefined) return undefined;
        self.hosted ??= hostedAgents(
          slowStore === undefined ? parts : { ...parts, store: slowed(parts.store, slowStore, early) },
          world.home,
          () => self.quirks,
          { ...(launch === undefined ? {} : { launch }), ...(servers === undefined ? {} : { servers }) },
        );
        return self.hosted.agents.agent({ id: 'scripted', name, rules }, model.slice(name.length + 1));
      },
    });
    self = new HostedWorld(world, quirks);
    mkdirSync(self.folder, { recursive: true });
    return self;
  }

  get folder(): string {
    return path.join(this.world.home, 'project');
  }

  /** What the agent wrote down. */
  get log(): readonly Readonly<Record<string, unknown>>[] {
    const file = path.join(this.world.home, 'agent', 'disk.json');
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { log: [] }).log : [];
  }

  /** Everything the agent wrote down under one name. */
  logged(name: string): readonly unknown[] {
    return this.log.filter((entry) => Object.hasOwn(entry, name)).map((entry) => entry[name]);
  }

  /** Ends the agents, as at the end of a window, and opens the next window. */
  async reopen(): Promise<void> {
    await this.hosted?.agents.close();
    this.hosted = null;
    await this.world.reopen();
  }

  /** The window is killed: what it had not stored is gone. `withAgent`: the agent too, before it. */
  async crash(withAgent = true): Promise<void> {
    const { hosted } = this;
    if (withAgent) hosted?.agents.closeNow();
    this.hosted = null;
    await this.world.crash();
    hosted?.agents.closeNow();
  }

  async close(): Promise<void> {
    await this.hosted?.agents.close();
    await this.world.close();
  }
}

/** A store whose answers take their time, each another: they come out of order where its callers do not wait. */
function slowed(store: RecordingDeps['store'], delayMs: () => number, early?: string): RecordingDeps['store'] {
  const wait = (ms: number): Promise<void> | null =>
    ms === 0 ? null : new Promise((resolve) => setTimeout(resolve, ms));
  return new Proxy(store, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return async (...args: unknown[]): Promise<unknown> => {
        if (name === early) {
          void wait(30)?.then(() => Reflect.apply(method, target, args) as unknown);
          return name === 'putMessages' ? args[0] : undefined;
        }
        await wait(delayMs());
        const result: unknown = await Reflect.apply(method, target, args);
        await wait(delayMs());
        return result;
      };
    },
  });
}

/** A prompt for the scripted agent. */
export function script(...steps: readonly Readonly<Record<string, unknown>>[]): string {
  return JSON.stringify(steps);
}
