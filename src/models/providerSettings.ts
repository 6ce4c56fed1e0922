/** A model of an endpoint as the person describes it, for servers that say too little of it. */
export interface ModelSettings {
  readonly id: string;
  readonly contextWindow?: number | undefined;
  readonly tools?: boolean | undefined;
  readonly images?: boolean | undefined;
}

/** An entry of the setting `hermes.providers`, already validated by whoever read it. */
export interface ProviderSettings {
  /** Without a slash: references are "<name>/<model id>". */
  readonly name: string;
  readonly protocol: 'openai' | 'anthropic';
  readonly baseUrl: string;
  /** When given, these are the models, and the endpoint's own list is not asked for. */
  readonly models?: readonly ModelSettings[] | undefined;
}
