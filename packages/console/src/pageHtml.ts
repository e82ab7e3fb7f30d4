/** The console's document: it loads one script and one style, by addresses relative to its own. */

/** HTML text. */
export const pageHtml = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sibyl console</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="console/main.css">
<script type="module" src="console/main.js"></script>
</head>
<body></body>
</html>
`
