extension PageParts {
    /// The page's style sheet, light and dark.
    static let style = ##"""

        :root {
          color-scheme: light;
          --back: #ffffff; --raised: #f6f7f9; --line: #d8dce2; --text: #1c2129; --dim: #626b78; --accent: #0b62c4;
          --select: #dbeafe; --match: #fff3b8; --frame: #2f6fb5; --kick: #c4122f; --fault: #a65300; --mark: #6b3fc0;
          --logged-out: #778190; --connecting: #957000; --syncing: #2673c0; --online: #23804a; --reconnecting: #bf5f0a;
          --offline: #7d6a99; --kicked: #c4122f; --token-expired: #9b2c8f; --stopped: #e3e6ea; --on: #ffffff;
        }
        :root.dark {
          color-scheme: dark;
          --back: #14171c; --raised: #1c2027; --line: #343b46; --text: #e4e8ee; --dim: #939dab; --accent: #6cb0ff;
          --select: #1f3a5c; --match: #4a4212; --frame: #79b4f2; --kick: #ff6b7f; --fault: #f2a253; --mark: #b79bf5;
          --logged-out: #6b7482; --connecting: #9c7610; --syncing: #2f7fcf; --online: #2c8f55; --reconnecting: #c4661a;
          --offline: #8f7bb0; --kicked: #e63a54; --token-expired: #bb4fae; --stopped: #2a2f38; --on: #ffffff;
        }
        * { box-sizing: border-box; }
        html, body { height: 100%; margin: 0; }
        body {
          display: flex; flex-direction: column; background: var(--back); color: var(--text);
          font: 13px/1.45 system-ui, -apple-system, "Segoe UI", "Noto Sans", "Noto Sans CJK SC", sans-serif;
        }
        header {
          display: flex; flex-wrap: wrap; align-items: center; gap: 6px 18px; padding: 8px 14px;
          background: var(--raised); border-bottom: 1px solid var(--line);
        }
        .title { flex: 3 1 440px; min-width: 0; }
        h1 { font-size: 15px; margin: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
        #about {
          margin: 0; color: var(--dim); font-size: 12px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
        }
        #search { display: flex; align-items: center; gap: 6px; flex: 2 1 260px; max-width: 560px; }
        #query { flex: 1; min-width: 120px; }
        #found { min-width: 64px; color: var(--dim); text-align: right; font-variant-numeric: tabular-nums; }
        #found.wrong { color: var(--kick); }
        .tools { display: flex; align-items: center; gap: 6px; }
        .tools label { display: flex; align-items: center; gap: 3px; white-space: nowrap; }
        input[type=search], button {
          font: inherit; color: inherit; background: var(--back); border: 1px solid var(--line); border-radius: 5px;
          padding: 3px 8px; height: 28px;
        }
        button { cursor: pointer; min-width: 28px; }
        button:hover { border-color: var(--accent); }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
        #scroller:focus-visible { outline-offset: -2px; }
        .overview { position: relative; border-bottom: 1px solid var(--line); background: var(--raised); }
        #map { display: block; width: 100%; cursor: pointer; touch-action: none; }
        #tip {
          position: absolute; top: 100%; z-index: 5; display: none; max-width: 420px; padding: 3px 8px;
          pointer-events: none;
          background: var(--text); color: var(--back); border-radius: 4px; font-size: 12px; white-space: nowrap;
          overflow: hidden; text-overflow: ellipsis;
        }
        main { flex: 1; display: flex; min-height: 0; position: relative; }
        #lanes { flex: 1; min-width: 0; display: flex; flex-direction: column; }
        #heads { position: relative; height: 44px; overflow: hidden; border-bottom: 1px solid var(--line); flex: none; }
        .head { position: absolute; top: 4px; text-align: left; padding: 0 4px; overflow: hidden; white-space: nowrap; }
        .head b { display: block; font-size: 13px; line-height: 1.3; overflow: hidden; text-overflow: ellipsis; }
        .pill {
          display: inline-block; padding: 0 7px; border-radius: 9px; font-size: 11px; line-height: 16px;
          color: var(--on);
          background: var(--logged-out);
        }
        .pill.bare { background: none; color: var(--dim); padding: 0; }
        .pill.stopped { background: none; color: var(--dim); border: 1px dashed var(--dim); line-height: 14px; }
        #scroller { flex: 1; overflow: auto; position: relative; min-height: 0; }
        #view { position: sticky; top: 0; left: 0; display: block; }
        #spacer { position: absolute; top: 0; left: 0; width: 1px; pointer-events: none; }
        #panel {
          width: 390px; flex: none; overflow: auto; padding: 10px 14px 24px; border-left: 1px solid var(--line);
          background: var(--raised); overflow-wrap: anywhere;
        }
        #panel[hidden] { display: none; }
        #panel h2 { font-size: 14px; margin: 0 0 2px; display: flex; justify-content: space-between; gap: 8px; }
        #panel h3 {
          font-size: 12px; margin: 14px 0 3px; color: var(--dim); font-weight: 600; text-transform: uppercase;
          letter-spacing: .04em;
        }
        #panel p { margin: 4px 0; }
        #panel table { border-collapse: collapse; width: 100%; }
        #panel td {
          padding: 1px 8px 1px 0; vertical-align: top; font: 12px/1.45 ui-monospace, "DejaVu Sans Mono", monospace;
        }
        #panel td:first-child { color: var(--dim); width: 38%; }
        #panel .changes tr { display: flex; flex-wrap: wrap; gap: 0 8px; }
        #panel .changes td:first-child { width: auto; }
        #panel del { color: var(--dim); }
        #panel ins { text-decoration: none; font-weight: 600; }
        #panel .words { font: 12px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
        #panel .go {
          display: block; width: 100%; height: auto; text-align: left; border: 0; background: none; padding: 2px 4px;
          font: 12px/1.4 ui-monospace, "DejaVu Sans Mono", monospace; border-radius: 4px;
        }
        #panel .go:hover { background: var(--select); }
        #panel .go.kick { color: var(--kick); }
        #panel .go.fault { color: var(--fault); }
        #panel .go.mark { color: var(--mark); }
        #panel .end { color: var(--dim); padding-left: 4px; }
        #panel .rule { border-left: 3px solid var(--accent); padding-left: 8px; }
        #panel summary { cursor: pointer; margin-top: 12px; }
        .legend { display: flex; flex-wrap: wrap; gap: 4px; }
        .close { border: 0; background: none; }
        dialog {
          color: inherit; background: var(--back); border: 1px solid var(--line); border-radius: 8px; max-width: 560px;
        }
        dialog::backdrop { background: rgb(0 0 0 / 45%); }
        dialog h2 { margin: 0 0 8px; font-size: 15px; }
        dialog td { padding: 2px 14px 2px 0; vertical-align: top; }
        kbd {
          font: 12px ui-monospace, "DejaVu Sans Mono", monospace; border: 1px solid var(--line); border-radius: 4px;
          padding: 0 5px; background: var(--raised);
        }
        .hidden {
          position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
        }
        @media (max-width: 900px) {
          #panel { position: absolute; left: 0; right: 0; bottom: 0; width: auto; max-height: 46%; border-left: 0;
            border-top: 1px solid var(--line); box-shadow: 0 -4px 16px rgb(0 0 0 / 18%); }
        }
        @media print { .tools, #search, #panel { display: none; } }
        """##
}
