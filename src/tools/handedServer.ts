/** A server as another program can start it itself: without our sandbox, and with nothing of our environment but what
 *  its definition names. */
export type HandedServer =
  | {
      readonly kind: 'stdio';
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
      readonly environment: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'http' | 'sse';
      readonly name: string;
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    };
