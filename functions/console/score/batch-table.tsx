import { showBytes } from '../format.ts';
import { useObjectUrl } from '../ui/drop-zone.tsx';
import { Scroll } from '../ui/parts.tsx';
import { useState } from '../use-state.ts';
import { type BatchRow, toolsIn } from './csv.ts';
import { Histogram } from './histogram.tsx';

interface Order {
  readonly column: string;
  readonly isDown: boolean;
}

const OVERALL = 'Overall';

/** The scores of many pictures: a histogram, and a sortable table. */
export const BatchTable = ({ rows }: { readonly rows: readonly BatchRow[] }) => {
  const tools = toolsIn(rows);
  const [order, setOrder] = useState<Order | undefined>(undefined);
  const columns = ['File', 'Size', OVERALL, ...tools];
  const sorted = order
    ? rows.toSorted((a, b) => compare(valueIn(a, order.column), valueIn(b, order.column), order))
    : rows;
  const press = (column: string): void =>
    setOrder({ column, isDown: order?.column === column ? !order.isDown : column !== 'File' });
  return (
    <div class="group">
      <Histogram values={rows.flatMap((row) => judged(row, tools) ?? [])} />
      <Scroll label="Table of scores">
        <table>
          <thead>
            <tr>
              <th>
                <span class="sr-only">Picture</span>
              </th>
              {columns.map((column) => (
                <th
                  key={column}
                  class={column === 'File' ? '' : 'number'}
                  aria-sort={order?.column === column ? (order.isDown ? 'descending' : 'ascending') : undefined}
                >
                  <button type="button" class="sort" onClick={() => press(column)}>
                    {column}
                    {order?.column === column && <span aria-hidden="true">{order.isDown ? ' ↓' : ' ↑'}</span>}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.map((row) => (
              <PictureRow key={rows.indexOf(row)} row={row} tools={tools} />
            ))}
          </tbody>
        </table>
      </Scroll>
    </div>
  );
};

interface RowProps {
  readonly row: BatchRow;
  readonly tools: readonly string[];
}

const PictureRow = ({ row, tools }: RowProps) => {
  const { file, fault } = row;
  return (
    <tr>
      <td>{fault ? null : <Thumbnail file={file} />}</td>
      <td>{file.name}</td>
      <td class="number">{showBytes(file.size)}</td>
      {fault ? (
        <td class="danger-text" colspan={tools.length + 1}>
          {fault.message}
        </td>
      ) : (
        [OVERALL, ...tools].map((column) => (
          <td key={column} class="number">
            {showScore(valueIn(row, column))}
          </td>
        ))
      )}
    </tr>
  );
};

const Thumbnail = ({ file }: { readonly file: File }) => {
  const address = useObjectUrl(file);
  return address === undefined ? null : <img class="thumbnail" src={address} alt="" loading="lazy" />;
};

const showScore = (value: unknown): string => (typeof value === 'number' ? value.toFixed(2) : '–');

const valueIn = ({ file, scores }: BatchRow, column: string): string | number | undefined => {
  if (column === 'File') return file.name;
  if (column === 'Size') return file.size;
  if (column === OVERALL) return scores?.overall?.score;
  return scores?.scores.find(({ tool }) => tool === column)?.normalized;
};

/** The value in the histogram: the overall score, or the mean of the metrics without one. */
const judged = (row: BatchRow, tools: readonly string[]): number | undefined => {
  if (row.scores?.overall?.score !== undefined) return row.scores.overall.score;
  const found = tools.map((tool) => valueIn(row, tool)).filter((value) => typeof value === 'number');
  return found.length === 0 ? undefined : found.reduce((sum, value) => sum + value, 0) / found.length;
};

/** Missing values come last in either order. */
const compare = (a: string | number | undefined, b: string | number | undefined, { isDown }: Order): number => {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  const way = typeof a === 'string' ? a.localeCompare(String(b)) : a - Number(b);
  return isDown ? -way : way;
};
