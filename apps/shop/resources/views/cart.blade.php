@extends('layout')
@section('title', 'Your cart')
@section('content')
    <table>
        @foreach ($products as $product)
            <tr>
                <td>{{ $product->name }}</td>
                <td>{{ $quantities[$product->id] }}</td>
                <td>{{ $product->price() }}</td>
            </tr>
        @endforeach
    </table>
    <p>Together {{ number_format($products->sum(fn ($p) => $p->cents * $quantities[$p->id]) / 100, 2) }} €</p>
@endsection
