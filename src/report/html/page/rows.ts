import { el, swatch } from './dom.ts';
import type { Selection } from './selection.ts';

/** A long table shows so many rows until asked for more. */
const PAGE = 50;

/** A table whose rows each belong to a variant: filtered, sorted, grouped, and shown by the page. */
export class RowTable {
  private readonly body: HTMLTableSectionElement;
  private readonly rows: HTMLTableRowElement[];
  private readonly heads: HTMLTableCellElement[];
  private readonly more = el('button', { type: 'button', class: 'more-rows', hidden: true });
  private readonly selection: Selection;
  private sorted: { column: number; descending: boolean } | null = null;
  private limit = PAGE;
  isGrouped = false;
  /** All rows are shown: on paper nothing can be asked for. */
  isWhole = false;

  constructor(table: HTMLTableElement, selection: Selection) {
    this.selection = selection;
    this.body = table.tBodies[0] as HTMLTableSectionElement;
    this.rows = [...this.body.rows];
    this.heads = [...(table.tHead?.rows[0]?.cells ?? [])];
    if ('sortable' in table.dataset) {
      for (const row of this.rows) row.querySelector('.variant')?.prepend(swatch(variantOf(row)));
      this.heads.forEach((head, column) => {
        if (head.dataset.sort) this.makeSortable(head, column);
      });
    }
    table.parentElement?.after(this.more);
    this.more.addEventListener('click', () => {
      this.limit += PAGE * 4;
      this.render();
    });
    selection.onChange(() => this.render());
    this.render();
  }

  private makeSortable(head: HTMLTableCellElement, column: number): void {
    const button = el('button', { type: 'button', class: 'sort' }, ...head.childNodes);
    head.replaceChildren(button);
    button.addEventListener('click', () => {
      // Text first from A, numbers first from the largest; a third click gives the ranking back.
      const first = head.dataset.sort === 'number' && !head.classList.contains('place');
      const isSame = this.sorted?.column === column;
      if (isSame && this.sorted?.descending !== first) this.sorted = null;
      else this.sorted = { column, descending: isSame ? !first : first };
      this.heads.forEach((other, i) => {
        if (i === this.sorted?.column)
          other.setAttribute('aria-sort', this.sorted.descending ? 'descending' : 'ascending');
        else other.removeAttribute('aria-sort');
      });
      this.render();
    });
  }

  render(): void {
    const rows = this.inOrder().filter((row) => this.selection.isAllowed(variantOf(row)));
    const shown = this.isWhole ? rows : rows.slice(0, this.limit);
    this.body.replaceChildren(...(this.isGrouped ? this.withHeadings(shown) : shown));
    this.more.hidden = rows.length <= shown.length;
    this.more.textContent = `Show ${Math.min(PAGE * 4, rows.length - shown.length)} more of ${rows.length}`;
  }

  private inOrder(): HTMLTableRowElement[] {
    const { sorted } = this;
    if (!sorted) return this.rows;
    const isText = this.heads[sorted.column]?.dataset.sort === 'text';
    const value = (row: HTMLTableRowElement) => row.cells[sorted.column]?.dataset.value ?? '';
    const sign = sorted.descending ? -1 : 1;
    return [...this.rows].sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      // Values that were not measured stay at the end.
      if (x === '' || y === '') return Number(x === '') - Number(y === '');
      return sign * (isText ? x.localeCompare(y, 'en', { numeric: true }) : Number(x) - Number(y));
    });
  }

  private withHeadings(rows: readonly HTMLTableRowElement[]): HTMLTableRowElement[] {
    const modelOf = (row: HTMLElement) => this.selection.variants[variantOf(row)]?.model ?? '';
    return [...new Set(rows.map(modelOf))].flatMap((model) => {
      const head = el('th', { colspan: this.heads.length, scope: 'rowgroup' }, model);
      return [el('tr', { class: 'model' }, head), ...rows.filter((row) => modelOf(row) === model)];
    });
  }
}

function variantOf(element: HTMLElement): number {
  return Number(element.dataset.variant);
}
