@extends('layout')
@section('title', 'Welcome')
@section('content')
    <nav>
        @foreach ($categories as $category)
            <a href="/category/{{ $category->id }}">{{ $category->name }} ({{ $category->products_count }})</a>
        @endforeach
    </nav>
    <h2>New</h2>
    @include('products', ['products' => $new])
    <h2>Good for little</h2>
    @include('products', ['products' => $cheap])
@endsection
