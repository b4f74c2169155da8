import { type DatabaseService, databaseOf, type ProcessEntry, services } from '../services';
import { feedsOf } from './feeds';

/** One of our processes, as the launcher runs it. */
export interface ProcessDefinition extends Omit<ProcessEntry, 'does' | 'main'> {
  /** Name of the process and of its bundle under dist/. */
  readonly name: string;
  /** Whose database it uses. */
  readonly database?: DatabaseService;
}

/** The processes of the system, in the order they are started. */
export const definitions: readonly ProcessDefinition[] = Object.entries(services).flatMap(([service, { hasDatabase, processes }]) =>
  Object.entries(processes).map(([name, entry]) => ({
    name,
    ...entry,
    ...(hasDatabase === true ? { database: databaseOf(service) } : {}),
  })),
);

/** The processes that these settings call for. */
export function definitionsFor(settings: NodeJS.ProcessEnv): readonly ProcessDefinition[] {
  const feeds = feedsOf(settings);
  return definitions.filter(({ onlyForFeed }) => onlyForFeed === undefined || feeds.includes(onlyForFeed));
}
