import { openSync, readdirSync, readFileSync, statSync, writeSync } from 'node:fs';
import { Gateway } from '../../src/gateway/conversationGateway';
import { join } from 'node:path';
import { Agent } from '../../src/agent/agent';
import { Summarizer } from '../../src/agent/compression/summarizer';
import { systemClock as clock } from '../../src/base/clock';
import { idsFrom } from '../../src/base/ids';
import { silentLog as log } from '../../src/base/log';
import { GatewayError, type Surface, type SwitchTarget } from '../../src/gateway/gateway';
import { storeFolderOf } from '../../src/store/ownership/storeFolder';
import type { StoreConnection } from '../../src/store/ownership/storeConnection';
import { readOnlyTools } from '../../src/tools/readOnlyTools';
import { ToolRegistry } from '../../src/tools/toolRegistry';
import { openedStore } from '../../test/crash/crashGateway';
import { cautiousPolicy } from '../../test/support/cautiousPolicy';
import { FolderOnDisk } from '../../test/support/folderOnDisk';
import { memoryOf } from '../../test/support/memoryOf';
import { seededRandom } from '../../test/support/seededRandom';
import { SoakMemory } from './soakMemory';
import { SoakModel } from './soakModel';
import type { SoakOrder, SoakResult, SoakSample } from './soakRecord';
import { findingSentence } from '../../src/transcript/rules/finding';

const faultShare = 0.05;
const samplesInAll = 40;
declare const gc: () => void;

/** The product's process without an editor: the real gateway and agent, the store behind its worker, three memory
 *  providers. It works through a long time of turns, switches, branches and compressions, and prints a `SoakResult`. */
class Soak {
  private readonly random;
  private readonly model;
  private readonly memories;
  private readonly record;
  private settled = 0;
  private readonly done = { switches: 0, compressions: 0, branches: 0 };
  private readonly samples: SoakSample[] = [];
  private readonly sessions: string[] = [];
  private gateway!: Gateway;
  private onSettled: () => void = () => undefined;

  constructor(
    private readonly order: SoakOrder,
    private readonly connection: StoreConnection,
  ) {
    this.random = seededRandom(order.seed);
    this.model = new SoakModel(this.random, faultShare);
    this.memories = ['one', 'two', 'three'].map((name) => new SoakMemory(name, this.random, faultShare));
    this.record = openSync(order.record, 'w');
    this.gateway = this.createGateway();
    this.gateway.surfaces.attach(this.surface());
  }

  async run(): Promise<SoakResult> {
    const { turns } = this.order;
    const every = Math.max(1, Math.floor(turns / samplesInAll));
    for (let turn = 1; turn <= turns; turn++) {
      await this.turn(turn);
      if (turn % Math.ceil(turns / 200) === 0) await this.switches(turn);
      if (turn % every === 0) await this.sample(turn);
    }
    const unsound = (await this.connection.store.verifyIntegrity()).map(findingSentence);
    const different = await this.different();
    await this.gateway.shutdown();
    return {
      turns,
      ...this.done,
      faults: this.model.faults,
      memoryCalls: this.memories.reduce((sum, { calls }) => sum + calls, 0),
      different,
      unsound,
      samples: this.samples,
    };
  }

  private createGateway(): Gateway {
    const { store } = this.connection;
    const ids = idsFrom((count) => crypto.getRandomValues(new Uint8Array(count)));
    const files = new FolderOnDisk([{ name: 'project', path: this.order.project }]);
    return new Gateway({
      store,
      clock,
      ids,
      log,
      createAgent: (_model, memory) =>
        new Agent({
          store,
          clock,
          ids,
          log,
          ...(memory === undefined ? {} : { memory }),
          tools: new ToolRegistry(readOnlyTools(files, () => false)),
          approvals: cautiousPolicy,
          openModel: () => Promise.resolve(this.model),
          systemPrompt: () => 'You are tested.',
          maxIterations: 8,
        }),
      agentSignature: (ref) => ref,
      createMemory: () => memoryOf(this.memories, { clock, log }),
      defaultModel: () => 'Local/test-model',
      saveDefaultModel: () => Promise.resolve(),
      folder: () => this.order.project,
      contextEngine: new Summarizer({ clock, log, threshold: () => 0.8 }),
    });
  }

  private surface(): Surface {
    return {
      id: 'panel',
      onTurnEvent: (_sessionId, event) => {
        if (event.kind === 'delivered')
          for (const { messageUid, part, text } of event.chunks)
            writeSync(this.record, `${JSON.stringify({ messageUid, part, text })}\n`);
        if (event.kind !== 'turnSettled') return;
        this.settled++;
        this.onSettled();
      },
      onSessionEvent: () => undefined,
      onSessionSwitched: () => undefined,
    };
  }

  private async turn(turn: number): Promise<void> {
    const before = this.settled;
    const settled = new Promise<void>((resolve) => (this.onSettled = resolve));
    const sessionId = this.gateway.surfaces.shownSession('panel');
    await this.gateway.intake.submit('panel', { sessionId, uid: `prompt-${turn}`, text: `Prompt ${turn}` });
    if (this.settled === before) await settled;
    while (this.gateway.turns.running().length > 0) await new Promise((resolve) => setImmediate(resolve));
    if (this.order.leaks) this.leak();
  }

  private leak(): void {
    const held = 'x'.repeat(10_000).split('');
    this.connection.onDidChangeState(() => held.length);
  }

  private async switches(turn: number): Promise<void> {
    const shown = this.gateway.surfaces.shownSession('panel');
    if (shown !== null && !this.sessions.includes(shown)) this.sessions.push(shown);
    if (this.done.switches % 4 === 0 && shown !== null) await this.compresses(shown);
    const isBranch = this.done.switches % 10 === 9 && shown !== null;
    const target = isBranch ? ({ reason: 'branch', sessionId: shown, from: null } as const) : this.targetAfter(turn);
    if (isBranch) this.done.branches++;
    await this.gateway.switching.switchSession('panel', target);
    this.done.switches++;
  }

  private targetAfter(turn: number): SwitchTarget {
    const sessionId = this.sessions[Math.floor(this.random() * this.sessions.length)];
    if (turn % 3 === 0 && sessionId !== undefined) return { reason: 'resume', sessionId };
    return { reason: turn % 2 === 0 ? 'new_session' : 'reset' };
  }

  /** A short session has nothing to compress. */
  private async compresses(sessionId: string): Promise<void> {
    try {
      await this.gateway.compression.compress(sessionId, null);
      this.done.compressions++;
    } catch (error) {
      if (!(error instanceof GatewayError) || error.causeClass !== 'notCompressed') throw error;
    }
  }

  private async sample(turns: number): Promise<void> {
    this.samples.push({ turns, ...measured(), files: bytesIn(storeFolderOf(this.order.storage)) });
    const faults = await this.connection.store.verifyIntegrity();
    if (faults.length > 0) throw new Error(`after ${turns} turns: ${faults.join(', ')}`);
  }

  /** Messages whose stored text is not what was shown of them. */
  private async different(): Promise<number> {
    const shown = new Map<string, string[]>();
    for (const line of readFileSync(this.order.record, 'utf8').split('\n').slice(0, -1)) {
      const { messageUid, part, text } = JSON.parse(line) as { messageUid: string; part: number; text: string };
      const parts = shown.get(messageUid) ?? [];
      parts[part] = (parts[part] ?? '') + text;
      shown.set(messageUid, parts);
    }
    let different = 0;
    for (const [uid, parts] of shown) {
      const message = await this.connection.store.getMessage(uid);
      const stored = message?.parts.map((part) => ('text' in part ? part.text : '')).join('') ?? null;
      if (stored !== parts.join('')) different++;
    }
    return different;
  }
}

function measured(): Omit<SoakSample, 'turns' | 'files'> {
  gc();
  gc();
  const { heapUsed, rss, external } = process.memoryUsage();
  return {
    heap: heapUsed,
    rss,
    external,
    handles: readdirSync('/proc/self/fd').length,
    threads: readdirSync('/proc/self/task').length,
    resources: process.getActiveResourcesInfo().length,
  };
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(folder, name)))
    .filter((found) => found.isFile())
    .reduce((sum, { size }) => sum + size, 0);
}

async function main(order: SoakOrder): Promise<void> {
  const connection = await openedStore(order);
  const result = await new Soak(order, connection).run();
  await connection.close();
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

main(JSON.parse(process.argv[2] ?? '{}') as SoakOrder).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
