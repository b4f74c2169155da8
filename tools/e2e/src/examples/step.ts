import type { Answer } from '../system/api';
import type { Body, Scene } from './scene';

/** Values of a query by name; a list is sent once for each item. */
type Query = Readonly<Record<string, string | number | readonly string[]>>;

/** Who asks: the desk by its key or by a browser session, or a stranger. */
type Caller = 'key' | 'session' | 'nobody';

/** One call that is made, and how its answer becomes an example. Path parameters are filled from the things that the scene knows. */
export interface Step {
  /** As the document names it. */
  readonly operation: string;
  /** What the example shows, in a few words. */
  readonly summary: string;
  /** Tells a second example of an answer from the first, as the end of its name. */
  readonly variant?: string;
  /** The status that is expected; 200 by default. */
  readonly status?: number;
  /** The desk's key by default. */
  readonly as?: Caller;
  /** Where the path is not that of the document with its parameters filled in. */
  readonly path?: (scene: Scene) => string;
  readonly query?: (scene: Scene) => Query;
  readonly body?: (scene: Scene) => unknown;
  /** Beside that of the credential. */
  readonly headers?: (scene: Scene, body: string) => Readonly<Record<string, string>>;
  /** Done first. */
  readonly before?: (scene: Scene) => Promise<unknown>;
  /** The call is made again until its answer is so. */
  readonly until?: (body: Body) => boolean;
  /** Done with the answer, before it is cut. */
  readonly after?: (scene: Scene, answer: Answer) => void;
  /** Items that each list keeps; 2 by default. */
  readonly items?: number;
  /** Lists that keep another number of items, by their place, such as `packet.reasons` or `rows.levels`. */
  readonly lists?: Readonly<Record<string, number>>;
  /** Objects whose fields are names of things, and the fields that they keep. */
  readonly keeps?: Readonly<Record<string, readonly string[]>>;
  /** For a stream: kinds of messages that the example shows, each as often as it is listed. */
  readonly messages?: readonly string[];
  /** Characters that a text keeps; 600 by default. */
  readonly characters?: number;
}
