@extends('layout')
@section('title', $title)
@section('content')
    <p>{{ $products->total() }} products</p>
    @include('products', ['products' => $products->items()])
    <nav>
        @for ($page = 1; $page <= $products->lastPage(); $page++)
            <a href="?page={{ $page }}">{{ $page }}</a>
        @endfor
    </nav>
@endsection
