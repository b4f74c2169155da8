import type { Answer } from '../system/api';
import type { Body, Scene } from './scene';

/** Query values by name; a list is sent as repeated parameters. */
type Query = Readonly<Record<string, string | number | readonly string[]>>;

/** The desk with its key or a browser session, or a stranger. */
type Caller = 'key' | 'session' | 'anonymous';

/** A call and how its answer becomes an example. Path parameters come from the scene's values. */
export interface Step {
  readonly operation: string;
  /** Short description of the example. */
  readonly summary: string;
  /** Suffix that distinguishes a second example of the same answer. */
  readonly variant?: string;
  /** Expected status; default 200. */
  readonly status?: number;
  /** Default: the desk's key. */
  readonly as?: Caller;
  /** Needed if the path is not the documented one with parameters filled in. */
  readonly path?: (scene: Scene) => string;
  readonly query?: (scene: Scene) => Query;
  readonly body?: (scene: Scene) => unknown;
  /** In addition to the credential. */
  readonly headers?: (scene: Scene, body: string) => Readonly<Record<string, string>>;
  readonly before?: (scene: Scene) => Promise<unknown>;
  /** Repeats the call until its answer matches. */
  readonly until?: (body: Body) => boolean;
  /** Runs with the answer before it is shortened. */
  readonly after?: (scene: Scene, answer: Answer) => void;
  /** Items to keep of each list; default 2. */
  readonly items?: number;
  /** Exceptions by list path, such as `packet.reasons` or `rows.levels`. */
  readonly lists?: Readonly<Record<string, number>>;
  /** Fields to keep of objects with arbitrary field names. */
  readonly keeps?: Readonly<Record<string, readonly string[]>>;
  /** For a stream: message kinds to show, each as often as listed. */
  readonly messages?: readonly string[];
  /** Characters to keep of a text; default 600. */
  readonly characters?: number;
}
