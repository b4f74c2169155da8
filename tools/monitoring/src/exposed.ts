import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';

interface Selector {
  readonly metric: string;
  readonly text: string;
  /** Labels needed by its matchers and the surrounding aggregations. */
  readonly labels: readonly string[];
}

interface Query {
  readonly selectors: readonly Selector[];
  /** Measured side of a comparison, as in alerts; otherwise the whole query. */
  readonly measured: string;
}

const COMPARISONS = ['Eql', 'Neq', 'Gtr', 'Gte', 'Lss', 'Lte'];
/** Grafana's variable for an interval with several scrapes, and such an interval. */
const INTERVAL = { variable: /\$__rate_interval\b/g, value: '1m' };

/** Converts a dashboard query for Prometheus. */
export function withoutVariables(expr: string): string {
  return expr.replace(INTERVAL.variable, INTERVAL.value);
}

/** @throws Error with the position if it is not PromQL */
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

/** Series that appear with their first occurrence, by metric or selector, with the triggering event. */
const ABSENT_UNTIL: Readonly<Record<string, string>> = {
  'http_server_request_seconds_count{service="gateway",status=~"5.."}': 'a call is answered with a 5xx',
  calls_shed_total: 'a call is refused for the load',
  requests_rate_limited_total: 'a call is over a rate limit',
  connections_refused_total: 'a connection is refused',
  webhook_guard_refusals_total: 'an endpoint has an address that the guard refuses',
  rpc_certificate_seconds_left: 'services authenticate by certificate: with TLS_DIR, always in production',
};

/** Metrics not exposed by our processes, with their source. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  up: 'Prometheus itself',
  pg_stat_replication_pg_wal_lsn_diff: "Prometheus's exporter of Postgres, where there is a standby",
};

interface Exposed {
  /** Label names of a metric's series; undefined for an unknown metric, empty without series. */
  labelsOf(metric: string): ReadonlySet<string> | undefined;
  names(): readonly string[];
}

/** Labels added by Prometheus to each target. */
const OF_TARGETS = ['instance', 'job', 'process'];
const HISTOGRAM = ['_bucket', '_count', '_sum'];

/** @param texts the `/metrics` page of each process */
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
 * Describes metrics and labels in a query that no process exposes. Skips labels of a metric without series, and missing
 * metrics declared to appear with their first occurrence.
 */
export function faultsOf(expr: string, exposed: Exposed): string[] {
  return readQuery(expr).selectors.flatMap(({ metric, text, labels }) => {
    if (metric in ELSEWHERE) return [];
    const known = exposed.labelsOf(metric);
    if (known === undefined) return isDeclaredAbsent(metric, text) ? [] : [`No process exposes ${metric}, used in "${expr}".`];
    if (known.size === 0) return [];
    return labels
      .filter((label) => !known.has(label) && !OF_TARGETS.includes(label))
      .map((label) => `${metric} has no label ${label}, used in "${expr}".`);
  });
}

/** True if a metric's or selector's series appear with their first occurrence. */
export function isDeclaredAbsent(metric: string, selector: string): boolean {
  return metric in ABSENT_UNTIL || selector in ABSENT_UNTIL;
}
