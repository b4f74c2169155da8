import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';

/** What a query asks of one metric. */
interface Selector {
  readonly metric: string;
  /** As it is written, with its matchers. */
  readonly text: string;
  /** Names of the labels that its matchers, and the aggregations around it, need. */
  readonly labels: readonly string[];
}

/** A query, read. */
interface Query {
  readonly selectors: readonly Selector[];
  /** What is compared, where the query is a comparison, as those of alerts are; else the whole query. */
  readonly measured: string;
}

const COMPARISONS = ['Eql', 'Neq', 'Gtr', 'Gte', 'Lss', 'Lte'];
/** The variable by which Grafana gives a span that holds some scrapes, and such a span. */
const INTERVAL = { variable: /\$__rate_interval\b/g, value: '1m' };

/** A query of a board as Prometheus takes it. */
export function withoutVariables(expr: string): string {
  return expr.replace(INTERVAL.variable, INTERVAL.value);
}

/** @throws Error when it is not PromQL; it names the place */
export function readQuery(expr: string): Query {
  const tree = parser.parse(expr);
  const selectors: Selector[] = [];
  const textOf = ({ from, to }: Pick<SyntaxNode, 'from' | 'to'>): string => expr.slice(from, to);

  function visit(node: SyntaxNode, around: readonly string[]): void {
    if (node.type.isError) throw new Error(`"${expr}" is not PromQL at "${expr.slice(node.from)}".`);
    if (node.name === 'VectorSelector') {
      const metric = node.getChild('Identifier');
      const matched = named(node, 'LabelMatchers', 'UnquotedLabelMatcher').flatMap((matcher) =>
        matcher.getChildren('LabelName').map(textOf),
      );
      if (metric === null) throw new Error(`"${textOf(node)}" names no metric.`);
      selectors.push({ metric: textOf(metric), text: textOf(node), labels: [...new Set([...matched, ...around])] });
    }
    const within = node.name === 'AggregateExpr' ? [...around, ...groupedBy(node)] : around;
    for (let child = node.firstChild; child !== null; child = child.nextSibling) visit(child, within);
  }

  function groupedBy(node: SyntaxNode): string[] {
    return named(node, 'AggregateModifier', 'GroupingLabels').flatMap((labels) => labels.getChildren('LabelName').map(textOf));
  }

  visit(tree.topNode, []);
  return { selectors, measured: textOf(measuredOf(tree.topNode)) };
}

function named(node: SyntaxNode, outer: string, inner: string): SyntaxNode[] {
  return node.getChildren(outer).flatMap((child) => child.getChildren(inner));
}

function measuredOf(top: SyntaxNode): SyntaxNode {
  const expression = top.firstChild ?? top;
  const isComparison = expression.name === 'BinaryExpr' && COMPARISONS.some((name) => expression.getChild(name) !== null);
  return isComparison ? (expression.firstChild ?? expression) : expression;
}

/** Series that come with their first occasion, by the metric or by one selector of it: what must happen first. */
const ABSENT_UNTIL: Readonly<Record<string, string>> = {
  'http_server_request_seconds_count{service="gateway",status=~"5.."}': 'a call is answered with a 5xx',
  calls_shed_total: 'a call is refused for the load',
  requests_rate_limited_total: 'a call is over a rate limit',
  connections_refused_total: 'a connection is refused',
  webhook_guard_refusals_total: 'an endpoint has an address that the guard refuses',
  rpc_certificate_seconds_left: 'services know each other by certificates: with TLS_DIR, always in production',
};

/** Metrics that Prometheus has from elsewhere than our processes: from whom. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  up: 'Prometheus itself',
  pg_stat_replication_pg_wal_lsn_diff: "Prometheus's exporter of Postgres, where there is a standby",
};

/** What processes say on `/metrics`, taken together. */
interface Exposed {
  /** Names of the labels of a metric's series; undefined where there is no such metric, empty where it has no series. */
  labelsOf(metric: string): ReadonlySet<string> | undefined;
  names(): readonly string[];
}

/** Labels that Prometheus gives each target. */
const OF_TARGETS = ['instance', 'job', 'process'];
const HISTOGRAM = ['_bucket', '_count', '_sum'];

/** @param texts the answers of `/metrics`, one of each process */
export function readExposed(texts: readonly string[]): Exposed {
  const labels = new Map<string, Set<string>>();
  const named = (metric: string): Set<string> => {
    const known = labels.get(metric) ?? new Set<string>();
    labels.set(metric, known);
    return known;
  };
  for (const line of texts.flatMap((text) => text.split('\n'))) {
    const [, metric = '', type = ''] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (metric !== '') for (const suffix of type === 'histogram' ? HISTOGRAM : ['']) named(metric + suffix);
    const [, name = '', pairs = ''] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (name === '') continue;
    const own = named(name);
    own.add('__name__');
    for (const [, label = ''] of pairs.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) own.add(label);
  }
  return { labelsOf: (metric) => labels.get(metric), names: () => [...labels.keys()] };
}

/**
 * What a query names that no process says, a sentence each. A metric that has no series yet has no labels that could be compared; one that
 * is declared to come with its first occasion may be missing.
 */
export function faultsOf(expr: string, exposed: Exposed): string[] {
  return readQuery(expr).selectors.flatMap(({ metric, text, labels }) => {
    if (metric in ELSEWHERE) return [];
    const known = exposed.labelsOf(metric);
    if (known === undefined) return isDeclaredAbsent(metric, text) ? [] : [`No process says ${metric}, of "${expr}".`];
    if (known.size === 0) return [];
    return labels
      .filter((label) => !known.has(label) && !OF_TARGETS.includes(label))
      .map((label) => `${metric} has no label ${label}, of "${expr}".`);
  });
}

/** Whether the series of a metric, or those of one selector, come with their first occasion. */
export function isDeclaredAbsent(metric: string, selector: string): boolean {
  return metric in ABSENT_UNTIL || selector in ABSENT_UNTIL;
}
