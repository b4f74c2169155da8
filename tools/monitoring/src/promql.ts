import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';

/** What a query asks of one metric. */
export interface Selector {
  readonly metric: string;
  /** As it is written, with its matchers. */
  readonly text: string;
  /** Names of the labels that its matchers, and the aggregations around it, need. */
  readonly labels: readonly string[];
}

/** A query, read. */
export interface Query {
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
