<!doctype html>
<html lang="en">
<head>
    <meta charset="utf-8">
    <title>@yield('title') · {{ config('app.name') }}</title>
</head>
<body>
<header>
    <a href="/">{{ config('app.name') }}</a>
    <form action="/search"><input name="q"><button>Search</button></form>
    <a href="/cart">Cart</a>
</header>
<main>
    <h1>@yield('title')</h1>
    @yield('content')
</main>
</body>
</html>
