import type { Clock } from '../../base/clock';
import type { ChatModel } from '../chatModel';
import { noModelFailure } from '../http/failures';
import { ModelError, type ModelListing, type ModelProvider } from '../modelProvider';
import { demoInfo, DemoModel } from './demoModel';

/** The source of the one scripted model. */
export class DemoProvider implements ModelProvider {
  readonly name = demoInfo.provider;
  readonly kind = 'demo';
  readonly destination = demoInfo.destination;

  constructor(private readonly clock: Clock) {}

  listModels(): Promise<ModelListing> {
    return Promise.resolve({ kind: 'models', models: [demoInfo] });
  }

  open(modelId: string): Promise<ChatModel> {
    if (modelId !== demoInfo.id) return Promise.reject(new ModelError(noModelFailure(`${this.name}/${modelId}`)));
    return Promise.resolve(new DemoModel(this.clock));
  }
}
