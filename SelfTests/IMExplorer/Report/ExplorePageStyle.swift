/// The CSS of the report's page for light and dark mode, with the colours of the page of a recording.
enum ExplorePageStyle {
    static let text = """

        :root {
          color-scheme: light dark;
          --back: #ffffff; --raised: #f6f7f9; --line: #d8dce2; --text: #1c2129; --dim: #626b78; --accent: #0b62c4;
          --bad: #c4122f; --bad-back: #fdecef; --on: #ffffff;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --back: #14171c; --raised: #1c2027; --line: #343b46; --text: #e4e8ee; --dim: #939dab; --accent: #6cb0ff;
            --bad: #ff6b7f; --bad-back: #3a1d24; --on: #14171c;
          }
        }
        * { box-sizing: border-box; }
        body {
          margin: 0; background: var(--back); color: var(--text);
          font: 14px/1.45 system-ui, -apple-system, "Segoe UI", "Noto Sans", "Noto Sans CJK SC", sans-serif;
        }
        header { padding: 12px 20px; background: var(--raised); border-bottom: 1px solid var(--line); }
        main { padding: 0 20px 40px; }
        h1 { font-size: 18px; margin: 0 0 8px; overflow-wrap: anywhere; }
        h2 { font-size: 16px; margin: 26px 0 8px; }
        h3 { font-size: 14px; margin: 14px 0 6px; }
        h4 { font-size: 12px; margin: 10px 0 4px; color: var(--dim); }
        small { color: var(--dim); font-weight: normal; }
        .sums { display: flex; flex-wrap: wrap; gap: 8px; margin: 0; padding: 0; list-style: none; }
        .sums li {
          padding: 4px 12px; border: 1px solid var(--line); border-radius: 6px; background: var(--back);
          color: var(--dim);
        }
        .sums b { font-size: 18px; color: var(--text); font-variant-numeric: tabular-nums; }
        .sums .bad, .sums .bad b { color: var(--bad); border-color: var(--bad); }
        article {
          margin: 0 0 12px; padding: 8px 14px 10px; border: 1px solid var(--line); border-left: 4px solid var(--bad);
          border-radius: 6px; background: var(--raised); overflow-wrap: anywhere;
        }
        article h3 { margin-top: 2px; }
        .pill {
          display: inline-block; padding: 0 8px; border-radius: 9px; font-size: 12px; background: var(--bad);
          color: var(--on);
        }
        dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 14px; margin: 0; }
        dt { color: var(--dim); }
        dd { margin: 0; }
        code, pre { font: 12px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
        pre {
          margin: 0; padding: 8px 10px; border: 1px solid var(--line); border-radius: 5px; background: var(--back);
          white-space: pre-wrap;
        }
        .legend { margin: 4px 0; color: var(--dim); font-size: 12px; }
        .wide { overflow-x: auto; padding-bottom: 6px; }
        .heat { border-collapse: separate; border-spacing: 1px; font-size: 11px; }
        .heat th { font-weight: normal; white-space: nowrap; color: var(--dim); }
        .heat thead th { vertical-align: bottom; padding: 0 0 4px; }
        .heat thead span { display: block; writing-mode: vertical-rl; transform: rotate(180deg); margin: 0 auto; }
        .heat tbody th { text-align: right; padding-right: 6px; position: sticky; left: 0; background: var(--back); }
        .heat tbody td, .cell {
          width: 15px; min-width: 15px; height: 15px; padding: 0; text-align: center; line-height: 1; border-radius: 2px;
        }
        .cell { display: inline-block; vertical-align: middle; margin-left: 8px; }
        .heat .none, .cell.none { color: var(--dim); background: none; border: 1px dotted var(--line); }
        .l0 { background: #3b528b; } .l1 { background: #2c728e; } .l2 { background: #21908d; }
        .l3 { background: #27ad81; } .l4 { background: #7ccb52; } .l5 { background: #f0c419; }
        .rare { border-collapse: collapse; }
        .rare th { text-align: left; color: var(--dim); font-weight: normal; }
        .rare th, .rare td { padding: 2px 16px 2px 8px; border-bottom: 1px solid var(--line); }
        .rare .number { text-align: right; font-variant-numeric: tabular-nums; }
        .never td { background: var(--bad-back); color: var(--bad); font-weight: 600; }
        .growth { display: block; width: 100%; max-width: 1100px; }
        .growth text { fill: var(--dim); font-size: 12px; }
        .growth path { fill: none; }
        .growth .axis { stroke: var(--line); }
        .growth .line { stroke: var(--accent); stroke-width: 2; }
        .growth .failed { stroke: var(--bad); stroke-width: 2; }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
        @media print { .wide { overflow: visible; } }

        """
}
