import { Agent, type AgentDeps } from '../../src/agent/agent';
import { Gateway } from '../../src/gateway/conversationGateway';
import { systemClock as clock } from '../../src/base/clock';
import { idsFrom } from '../../src/base/ids';
import { silentLog as log } from '../../src/base/log';
import { MemoryManager } from '../../src/memory/memoryManager';
import { httpChatModel } from '../../src/models/catalog/endpointProvider';
import { createTransports } from '../../src/models/providers/index';
import { loopbackPolicy } from '../../src/models/http/requestRunner';
import { openStore } from '../../src/store/ownership/openStore';
import type { StoreConnection } from '../../src/store/ownership/storeConnection';
import { readOnlyTools } from '../../src/tools/readOnlyTools';
import type { AnyTool } from '../../src/tools/tool';
import { ToolRegistry } from '../../src/tools/toolRegistry';
import { FolderOnDisk } from '../support/folderOnDisk';
import type { CrashHostOrder } from './crashRecord';
import { cautiousPolicy } from '../support/cautiousPolicy';

/** The real store behind its worker, open. */
export async function openedStore({
  storage,
  workerEntry,
}: Pick<CrashHostOrder, 'storage' | 'workerEntry'>): Promise<StoreConnection> {
  const connection = openStore({ storageFolder: storage, workerEntry, clock, log });
  await new Promise<void>((resolve, reject) => {
    const look = (): void => {
      if (connection.state.kind === 'open') resolve();
      if (connection.state.kind === 'failed' || connection.state.kind === 'readOnly') reject(connection.state.error);
    };
    connection.onDidChangeState(look);
    look();
  });
  return connection;
}

/** The real gateway, agent and tools on a store, with a model over HTTP. */
export function crashGateway(
  { store }: Pick<StoreConnection, 'store'>,
  order: Pick<CrashHostOrder, 'project' | 'url' | 'protocol' | 'contextWindow'>,
  fetch = globalThis.fetch,
  more: { readonly tools?: readonly AnyTool[] } & Pick<AgentDeps, 'hooks'> = {},
): Gateway {
  const ids = idsFrom((count) => crypto.getRandomValues(new Uint8Array(count)));
  const files = new FolderOnDisk([{ name: 'project', path: order.project }]);
  const model = httpChatModel(
    {
      ref: 'Local/test-model',
      provider: 'Local',
      id: 'test-model',
      label: 'test-model',
      destination: 'local',
      contextWindow: order.contextWindow,
      allocatedContext: null,
      tools: true,
      images: false,
      efforts: ['default'],
      price: null,
      warnings: [],
    },
    {
      loadTransports: () => Promise.resolve(createTransports()),
      settings: {
        protocol: order.protocol,
        baseUrl: order.url,
        key: null,
        modelId: 'test-model',
        fetch,
      },
      policy: loopbackPolicy,
      clock,
      provider: 'Local',
    },
  );
  return new Gateway({
    store,
    clock,
    ids,
    log,
    createAgent: () =>
      new Agent({
        store,
        clock,
        ids,
        log,
        tools: new ToolRegistry([...readOnlyTools(files, () => false), ...(more.tools ?? [])]),
        ...(more.hooks === undefined ? {} : { hooks: more.hooks }),
        approvals: cautiousPolicy,
        openModel: () => Promise.resolve(model),
        systemPrompt: () => 'You are tested.',
        maxIterations: 8,
      }),
    agentSignature: (ref) => ref,
    createMemory: () => new MemoryManager({ clock, log }),
    defaultModel: () => 'Local/test-model',
    saveDefaultModel: () => Promise.resolve(),
    folder: () => order.project,
  });
}
