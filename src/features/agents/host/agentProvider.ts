import type { Memento } from 'vscode';
import { quoted, shownList, t } from '../../../base/translate';
import type { ModelInfo } from '../../../models/modelInfo';
import { ModelError, type ModelListing, type ModelProvider } from '../../../models/modelProvider';
import { reasoningEfforts } from '../../../transcript/session';
import type { AgentOption } from '../core/agentUpdate';

/** Model id that leaves the choice to the agent. */
export const agentsOwnModel = 'default';

/** An agent in the lists of models: its own models are those that its last session offered. */
export class AgentProvider implements ModelProvider {
  readonly kind = 'agent';
  readonly destination: string;

  constructor(
    readonly name: string,
    private readonly memory: Pick<Memento, 'get'>,
  ) {
    this.destination = t('{agent} and its services', { agent: name });
  }

  listModels(): Promise<ModelListing> {
    const ids = new Set([agentsOwnModel, ...this.choices('model').map(({ value }) => value)]);
    return Promise.resolve({ kind: 'models', models: [...ids].map((id) => this.facts(id)) });
  }

  facts(id: string): ModelInfo {
    const efforts = this.choices('thought_level');
    const model = this.choices('model').find(({ value }) => value === id)?.name ?? id;
    return {
      ref: `${this.name}/${id}`,
      provider: this.name,
      id,
      label: id === agentsOwnModel ? this.name : `${this.name}: ${model}`,
      destination: this.destination,
      contextWindow: null,
      allocatedContext: null,
      tools: true,
      images: null,
      efforts: reasoningEfforts.filter(
        (effort) => effort === 'default' || efforts.some(({ value }) => value === effort),
      ),
      price: null,
      warnings: [
        t('{agent} acts by its own rules: Hermes asks where the agent asks, and cannot promise that it does.', {
          agent: this.name,
        }),
        ...serverNotice(this.name, this.memory),
      ],
    };
  }

  open(): Promise<never> {
    return Promise.reject(
      new ModelError({
        cause: 'badRequest',
        sentence: t('{agent} is an agent, not a model: it answers sessions, and nothing else.', { agent: this.name }),
        technical: 'hosted agent',
      }),
    );
  }

  private choices(category: string): AgentOption['choices'] {
    const options = this.memory.get<readonly AgentOption[]>(optionsKey(this.name)) ?? [];
    return options.find((option) => option.category === category)?.choices ?? [];
  }
}

/** An MCP server that the user gives an agent. */
export interface GivenServer {
  readonly id: string;
  readonly name: string;
}

export function givenServers(agent: string, memory: Pick<Memento, 'get'>): readonly GivenServer[] {
  return memory.get<readonly GivenServer[]>(serversKey(agent)) ?? [];
}

/** Where the servers that the user gives an agent are kept. */
export function serversKey(agent: string): string {
  return `agentServers/${agent}`;
}

function serverNotice(agent: string, memory: Pick<Memento, 'get'>): readonly string[] {
  const servers = givenServers(agent, memory);
  if (servers.length === 0) return [];
  const names = shownList(servers.map(({ name }) => quoted(name)));
  return [t('It gets these MCP servers and starts them itself: {names}', { names })];
}

/** Where the options of an agent's last session are kept. */
export function optionsKey(name: string): string {
  return `agentOptions/${name}`;
}
