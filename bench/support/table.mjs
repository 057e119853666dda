/** Prints rows of texts as a table under a title. */
export function printTable(title, rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => String(row[column] ?? '').length)));
  process.stdout.write(`\n${title}\n`);
  for (const row of rows) {
    process.stdout.write(`  ${row.map((cell, at) => String(cell ?? '').padEnd(widths[at])).join('  ')}\n`);
  }
}
