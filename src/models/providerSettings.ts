/** A model of an endpoint as the user describes it, for servers that report too little. */
export interface ModelSettings {
  readonly id: string;
  readonly contextWindow?: number | undefined;
  readonly tools?: boolean | undefined;
  readonly images?: boolean | undefined;
}

/** An entry of the setting `hermes.providers`, already validated by its reader. */
export interface ProviderSettings {
  /** Without a slash: references are "<name>/<model id>". */
  readonly name: string;
  readonly protocol: 'openai' | 'anthropic';
  readonly baseUrl: string;
  /** If present, these are the models, and the endpoint's own list is not fetched. */
  readonly models?: readonly ModelSettings[] | undefined;
}
